import { InvalidGrant } from '../../../src/access/errors.js';
import { sessionDecider } from '../../../src/access/tokens/session.js';
import type { SessionEvent } from '../../../src/events/session-events.js';
import { given } from '../../support/given.js';
import {
  began,
  day,
  hash,
  issued,
  later,
  limits,
  refresh,
  reuseDetected,
  revoke,
  revoked,
  rotated,
} from './fixtures.js';

const session = (...history: readonly SessionEvent[]) => given(sessionDecider, history);

const onceRotated = { currentHash: hash('second'), previousHash: hash('first'), rotations: 1 };

describe('rotating a refresh token', () => {
  it('replaces the current token with its successor', () => {
    session(issued())
      .when(refresh('first', { successor: 'second', keyGeneration: 'g2', now: later(5_000) }))
      .then([rotated('first', 'second', { keyGeneration: 'g2', rotatedAt: later(5_000).toISOString() })]);
  });

  it('changes nothing when the predecessor is presented again within the grace period', () => {
    session(issued(), rotated('first', 'second'))
      .when(refresh('first', { now: later(limits.refreshGraceMs - 1) }))
      .then([]);
  });

  it('revokes the session when the predecessor is presented after the grace period', () => {
    const now = later(limits.refreshGraceMs);
    session(issued(), rotated('first', 'second'))
      .when(refresh('first', { now }))
      .then([reuseDetected('first', onceRotated), revoked('refresh-token-reused', { ...onceRotated, revokedAt: now })]);
  });

  it('revokes the session when an older token is presented, even within the grace period', () => {
    const twice = { currentHash: hash('third'), previousHash: hash('second'), rotations: 2 };
    session(issued(), rotated('first', 'second'), rotated('second', 'third', { rotations: 2 }))
      .when(refresh('first', {}))
      .then([reuseDetected('first', twice), revoked('refresh-token-reused', { ...twice, revokedAt: began })]);
  });

  it('refuses a session that was idle for too long', () => {
    const idle = session(issued());
    idle.when(refresh('first', { now: later(limits.refreshIdleMs) })).thenThrows(InvalidGrant);
    idle
      .when(refresh('first', { now: later(limits.refreshIdleMs - 1), successor: 'second' }))
      .then([rotated('first', 'second', { rotatedAt: later(limits.refreshIdleMs - 1).toISOString() })]);
  });

  it('refuses a session after its maximum lifetime, even if it is in use', () => {
    const busy = session(issued(), rotated('first', 'second', { rotatedAt: later(364 * day).toISOString() }));
    busy.when(refresh('second', { now: later(365 * day) })).thenThrows(InvalidGrant);
  });

  it('refuses a session that does not exist', () => {
    session().when(refresh('first', {})).thenThrows(InvalidGrant);
  });

  it('refuses every token of a revoked session and appends nothing', () => {
    const ended = session(issued(), rotated('first', 'second'), revoked('operator', onceRotated));
    for (const token of ['first', 'second', 'other']) ended.when(refresh(token, {})).thenThrows(InvalidGrant);
  });
});

describe('revoking a session', () => {
  const command = { reason: 'operator', now: later(1) } as const;

  it('ends an active session', () => {
    session(issued())
      .when(revoke(command))
      .then([revoked('operator', { revokedAt: later(1) })]);
  });

  it('changes nothing if the session has ended or does not exist', () => {
    session().when(revoke(command)).then([]);
    session(issued(), revoked('code-reused')).when(revoke(command)).then([]);
  });
});
