import { sessionDecider } from '../../../src/access/tokens/session.js';
import type { SessionEvent } from '../../../src/events/session-events.js';
import { given } from '../../support/given.js';
import { hash, issue, issued, later, limits, revoked, rotated } from './fixtures.js';

const session = (...history: readonly SessionEvent[]) => given(sessionDecider, history);

describe('issuing tokens', () => {
  it('begins the session of an unused code', () => {
    session().when(issue()).then([issued()]);
  });

  it('revokes the session when its code is used again', () => {
    session(issued())
      .when(issue({ now: later(1_000) }))
      .then([revoked('code-reused', { revokedAt: later(1_000) })]);
  });

  it('resumes an exchange that a failure of the service interrupted', () => {
    session(issued())
      .when(issue({ resumes: true }))
      .then([]);
  });

  it('does not resume an exchange after its refresh token has been used', () => {
    const rotation = { currentHash: hash('second'), previousHash: hash('first'), rotations: 1 };
    session(issued(), rotated('first', 'second'))
      .when(issue({ resumes: true }))
      .then([revoked('code-reused', rotation)]);
  });

  it('changes nothing when the same client repeats its code within the grace period', () => {
    session(issued())
      .when(issue({ isAuthenticated: true, now: later(limits.refreshGraceMs - 1) }))
      .then([]);
  });

  it('revokes the session when the same client repeats its code with another redirect URI or verifier', () => {
    session(issued())
      .when(issue({ isAuthenticated: true, refreshTokenHash: hash('of another request') }))
      .then([revoked('code-reused')]);
  });

  it('changes nothing when the master key was rotated before the repeat', () => {
    const rotated = { keyGeneration: 'g2', refreshTokenHash: hash('under another key') };
    session(issued())
      .when(issue({ isAuthenticated: true, ...rotated }))
      .then([]);
  });

  it('revokes the session when the same client repeats its code later, or after it has refreshed', () => {
    const now = later(limits.refreshGraceMs);
    session(issued())
      .when(issue({ isAuthenticated: true, now }))
      .then([revoked('code-reused', { revokedAt: now })]);
    const rotation = { currentHash: hash('second'), previousHash: hash('first'), rotations: 1 };
    session(issued(), rotated('first', 'second'))
      .when(issue({ isAuthenticated: true }))
      .then([revoked('code-reused', rotation)]);
  });

  it('revokes the session when a client repeats a code that another caller has used', () => {
    session(issued())
      .when(issue({ isAuthenticated: true, clientId: 'zapier' }))
      .then([revoked('code-reused')]);
  });

  it('changes nothing if the session has been revoked', () => {
    session(issued(), revoked('operator')).when(issue()).then([]);
    session(issued(), revoked('operator'))
      .when(issue({ resumes: true, isAuthenticated: true }))
      .then([]);
  });
});
