import type { RevocationReason, Session, SessionFacts } from '../../../src/access/tokens/session.js';
import {
  type ImportSession,
  type IssueTokens,
  importSession,
  issueTokens,
  type RevokeSession,
  type RotateRefresh,
  revokeSession,
  rotateRefresh,
} from '../../../src/access/tokens/session-commands.js';
import type { SessionEvent } from '../../../src/events/session-events.js';

const minute = 60_000;
export const day = 24 * 60 * minute;

export const limits = { refreshGraceMs: 2 * minute, refreshIdleMs: 90 * day, sessionLifetimeMs: 365 * day };

/** The start of the sessions in these tests, and a time after it. */
export const began = new Date('2026-01-01T00:00:00.000Z');
export const later = (ms: number): Date => new Date(began.getTime() + ms);

/** The hash in events of a token that the test calls `name`. */
export const hash = (name: string): string => name.padEnd(43, '_');

export const facts: SessionFacts = {
  sessionId: '7b4a6f0e-3c1f-5d5e-8a55-0c8e0c9f5b11',
  orgId: 'org-1',
  userId: 'user-1',
  issuedAt: began.toISOString(),
  rotatedAt: began.toISOString(),
  currentHash: hash('first'),
  keyGeneration: 'g1',
  previousHash: null,
  rotations: 0,
  clientId: null,
  scopes: null,
};

export const issued = (changes: Partial<SessionFacts> = {}): SessionEvent => ({
  type: 'TokensIssued',
  data: { ...facts, ...changes },
});

/** The refresh token `from` was rotated to `to`. */
export const rotated = (from: string, to: string, changes: Partial<SessionFacts> = {}): SessionEvent => ({
  type: 'RefreshRotated',
  data: { ...facts, previousHash: hash(from), currentHash: hash(to), rotations: 1, ...changes },
});

export const reuseDetected = (presented: string, changes: Partial<SessionFacts> = {}): SessionEvent => ({
  type: 'RefreshReuseDetected',
  data: { ...facts, ...changes, presentedHash: hash(presented) },
});

export const revoked = (
  reason: RevocationReason,
  { revokedAt = began, ...changes }: Partial<SessionFacts> & { revokedAt?: Date } = {},
): SessionEvent => ({
  type: 'SessionRevoked',
  data: { ...facts, ...changes, reason, revokedAt: revokedAt.toISOString() },
});

export const issue =
  (changes: Partial<IssueTokens> = {}) =>
  (session: Session): SessionEvent[] => {
    const { sessionId, orgId, userId, clientId, scopes, keyGeneration } = facts;
    const command = {
      sessionId,
      orgId,
      userId,
      clientId,
      scopes,
      keyGeneration,
      refreshTokenHash: hash('first'),
      resumes: false,
    };
    return issueTokens({ ...command, isAuthenticated: false, limits, now: began, ...changes }, session);
  };

export const importing =
  (changes: Partial<ImportSession> = {}) =>
  (session: Session): SessionEvent[] =>
    importSession({ ...facts, refreshTokenHash: hash('foreign'), beganAt: null, now: began, ...changes }, session);

export const refresh =
  (
    presented: string,
    { successor = 'successor', now = began, ...changes }: { successor?: string } & Partial<RotateRefresh>,
  ) =>
  (session: Session): SessionEvent[] => {
    const hashes = { presentedHash: hash(presented), successorHash: hash(successor) };
    return rotateRefresh({ ...hashes, keyGeneration: 'g1', limits, now, ...changes }, session);
  };

export const revoke =
  (command: RevokeSession) =>
  (session: Session): SessionEvent[] =>
    revokeSession(command, session);
