import type { SessionEvent } from '../../events/session-events.js';
import { InvalidGrant } from '../oauth-errors.js';
import { sessionRevoked } from './revoke-session.js';
import { type ActiveSession, factsOf, type Session } from './session.js';

/** Durations in milliseconds. */
export type SessionLimits = {
  /** For how long the predecessor of the current refresh token is accepted, after lost responses and concurrent requests. */
  readonly refreshGraceMs: number;
  /** A session without a rotation for this long ends. */
  readonly refreshIdleMs: number;
  /** A session ends this long after its code was exchanged, even if it is in use. */
  readonly sessionLifetimeMs: number;
};

/** A refresh token of the service was presented. */
export type RotateRefresh = {
  readonly presentedHash: string;
  /** The successor of the presented token, and the master key that it is derived from. */
  readonly successorHash: string;
  readonly keyGeneration: string;
  readonly limits: SessionLimits;
  readonly now: Date;
};

/**
 * Rotates the current token. Its immediate predecessor changes nothing within the grace period; the response has the current
 * token. Any older token was used before and may be stolen: the session is revoked (RFC 9700 §4.14.2).
 * Throws `InvalidGrant` if the session has ended.
 */
export function rotateRefresh(command: RotateRefresh, session: Session): SessionEvent[] {
  requireActiveSession(session, command);
  if (command.presentedHash === session.currentHash) return [refreshRotated(command, session)];
  if (isWithinGrace(command, session)) return [];
  return [
    { type: 'RefreshReuseDetected', data: { ...factsOf(session), presentedHash: command.presentedHash } },
    sessionRevoked({ reason: 'refresh-token-reused', now: command.now }, session),
  ];
}

function requireActiveSession(session: Session, { limits, now }: RotateRefresh): asserts session is ActiveSession {
  if (session.status === 'none') throw new InvalidGrant('the session does not exist');
  if (session.status === 'revoked') throw new InvalidGrant(`the session was revoked: ${session.reason}`);
  if (elapsedMs(session.issuedAt, now) >= limits.sessionLifetimeMs)
    throw new InvalidGrant('the maximum lifetime of the session is over');
  if (elapsedMs(session.rotatedAt, now) >= limits.refreshIdleMs)
    throw new InvalidGrant('the session was idle for too long');
}

const isWithinGrace = ({ presentedHash, limits, now }: RotateRefresh, session: ActiveSession): boolean =>
  presentedHash === session.previousHash && elapsedMs(session.rotatedAt, now) < limits.refreshGraceMs;

const refreshRotated = (command: RotateRefresh, session: ActiveSession): SessionEvent => ({
  type: 'RefreshRotated',
  data: {
    ...factsOf(session),
    rotatedAt: command.now.toISOString(),
    currentHash: command.successorHash,
    keyGeneration: command.keyGeneration,
    previousHash: session.currentHash,
    rotations: session.rotations + 1,
  },
});

const elapsedMs = (since: string, now: Date): number => now.getTime() - Date.parse(since);
