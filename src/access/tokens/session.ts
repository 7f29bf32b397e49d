import { type RefreshRotated, type SessionEvent, sessionCodec } from '../../events/session-events.js';
import { uuidV5 } from '../../kernel/uuid.js';
import type { EventOf } from '../../stores/event-store/codec.js';
import type { Decider } from '../../stores/event-store/handle.js';

export type SessionFacts = EventOf<typeof RefreshRotated>['data'];

type Revocation = Extract<SessionEvent, { type: 'SessionRevoked' }>['data'];
export type RevocationReason = Revocation['reason'];

export type Session =
  | { status: 'none' }
  | ({ status: 'active' } & SessionFacts)
  | ({ status: 'revoked'; reason: RevocationReason; revokedAt: string } & SessionFacts);

export type ActiveSession = Extract<Session, { status: 'active' }>;

export const sessionDecider: Decider<Session, SessionEvent> = {
  codec: sessionCodec,
  initialState: () => ({ status: 'none' }),
  evolve(_, { type, data }) {
    if (type !== 'SessionRevoked') return { status: 'active', ...factsOf(data) };
    return { status: 'revoked', ...factsOf(data), reason: data.reason, revokedAt: data.revokedAt };
  },
};

export const factsOf = (from: SessionFacts): SessionFacts => ({
  sessionId: from.sessionId,
  orgId: from.orgId,
  userId: from.userId,
  issuedAt: from.issuedAt,
  rotatedAt: from.rotatedAt,
  currentHash: from.currentHash,
  keyGeneration: from.keyGeneration,
  previousHash: from.previousHash,
  rotations: from.rotations,
  clientId: from.clientId,
  scopes: from.scopes,
  ...(from.resource !== undefined && { resource: from.resource }),
});

export type SessionExpiry = {
  /** A session without a rotation for this long ends. */
  refreshIdleMs: number;
  /** A session ends this long after its code was exchanged, even if it is in use. */
  sessionLifetimeMs: number;
};

export const expiryOf = (
  { issuedAt, rotatedAt }: Pick<SessionFacts, 'issuedAt' | 'rotatedAt'>,
  { refreshIdleMs, sessionLifetimeMs }: SessionExpiry,
): number => Math.min(Date.parse(rotatedAt) + refreshIdleMs, Date.parse(issuedAt) + sessionLifetimeMs);

/** Permanent: with another namespace, used codes would work again. */
const idOf = uuidV5('09a3695c-6d89-458b-9dc5-8a01622c2432');

/** One session for each code: exchanging a code twice writes to the same stream. */
export const sessionIdOf = ({ issuer, codeId }: { issuer: string; codeId: string }): string =>
  idOf(JSON.stringify([issuer, codeId]));

/** One session for each token: found without a view, and imported once. No code has this ID: theirs are of arrays. */
export const importedSessionId = (refreshTokenHash: string): string => idOf(JSON.stringify({ refreshTokenHash }));

export const sessionStream = (sessionId: string): string => `session-${sessionId}`;

/** Durations in milliseconds. */
export type RefreshGrace = {
  /** Time for which the predecessor of the current refresh token is accepted, after lost responses and concurrent requests. */
  refreshGraceMs: number;
};

export type SessionLimits = SessionExpiry & RefreshGrace;

/** Reason of the end; undefined for a session in use. */
export function endOfSession(session: Session, limits: SessionExpiry, now: Date): string | undefined {
  if (session.status === 'none') return 'the session does not exist';
  if (session.status === 'revoked') return `the session was revoked: ${session.reason}`;
  if (elapsedMs(session.issuedAt, now) >= limits.sessionLifetimeMs)
    return 'the maximum lifetime of the session has ended';
  if (elapsedMs(session.rotatedAt, now) >= limits.refreshIdleMs) return 'the session was idle for too long';
  return undefined;
}

export const elapsedMs = (since: string, now: Date): number => now.getTime() - Date.parse(since);
