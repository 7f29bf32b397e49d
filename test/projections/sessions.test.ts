import { expect } from 'chai';
import { sessions } from '../../projections/sessions.js';
import { type SessionEvent, sessionCodec } from '../../src/events/session-events.js';
import { writesOf } from '../../src/views/project.js';
import { recorded } from '../support/recorded.js';
import { projected } from '../support/views/project-events.js';

const sessionId = '33333333-3333-4333-8333-333333333333';
const hash = 'h'.repeat(43);

const session = {
  sessionId,
  orgId: 'org-1',
  userId: 'user-1',
  keyGeneration: 'g1',
  issuedAt: '2026-01-01T00:00:00.000Z',
  rotatedAt: '2026-01-01T00:00:00.000Z',
  rotations: 0,
  currentHash: hash,
  previousHash: null,
  clientId: null,
  scopes: null,
};
const rotation = { ...session, rotatedAt: '2026-01-02T00:00:00.000Z', rotations: 1, previousHash: hash };

/** The document of the session after these events. */
function entryAfter(...events: SessionEvent[]) {
  const written = writesOf(projected(sessions, recorded(sessionCodec, `session-${sessionId}`, events))).get(sessionId);
  return written?.kind === 'put' ? written.document : undefined;
}

describe('the sessions view', () => {
  const issued: SessionEvent = { type: 'TokensIssued', data: session };
  const rotated: SessionEvent = { type: 'RefreshRotated', data: rotation };

  it('shows the user and the start of a session, but no token or hash of a token', () => {
    const entry = entryAfter(issued);
    expect(entry).to.deep.equal({
      sessionId,
      orgId: 'org-1',
      userId: 'user-1',
      state: 'active',
      issuedAt: '2026-01-01T00:00:00.000Z',
      rotatedAt: '2026-01-01T00:00:00.000Z',
      rotations: 0,
      reusedAt: null,
      revokedAt: null,
      reason: null,
      clientId: null,
    });
    expect(JSON.stringify(entryAfter(issued, rotated))).not.to.include(hash);
  });

  it('counts rotations', () => {
    expect(entryAfter(issued, rotated)).to.include({
      rotations: 1,
      rotatedAt: '2026-01-02T00:00:00.000Z',
      state: 'active',
    });
  });

  it('shows the client that a session is bound to', () => {
    const bound: SessionEvent = {
      type: 'RefreshRotated',
      data: { ...rotation, clientId: 'zapier', scopes: ['listeners'] },
    };
    expect(entryAfter(issued, bound)).to.include({ clientId: 'zapier', rotations: 1 });
  });

  it('shows that an old token was presented and the session was revoked', () => {
    const reused: SessionEvent = { type: 'RefreshReuseDetected', data: { ...rotation, presentedHash: hash } };
    const revoked: SessionEvent = {
      type: 'SessionRevoked',
      data: { ...rotation, reason: 'refresh-token-reused', revokedAt: '2026-01-03T00:00:00.000Z' },
    };
    expect(entryAfter(issued, rotated, reused, revoked)).to.include({
      state: 'revoked',
      reason: 'refresh-token-reused',
      revokedAt: '2026-01-03T00:00:00.000Z',
      reusedAt: '2026-01-02T03:04:05.678Z',
      rotations: 1,
    });
  });
});
