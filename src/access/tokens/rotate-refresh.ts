import type { SessionEvent } from '../../events/session-events.js';
import { InvalidGrant } from '../oauth-errors.js';
import { sessionRevoked } from './revoke-session.js';
import { type ActiveSession, factsOf, type Session } from './session.js';

/** How long things last, in milliseconds. */
export type SessionLimits = {
  /** The immediate predecessor of the current refresh token is still answered: lost answers, racing workers. */
  readonly refreshGraceMs: number;
  /** Without a rotation for this long, a session ends. */
  readonly refreshIdleMs: number;
  /** However busy, a session ends this long after its code was exchanged. */
  readonly sessionLifetimeMs: number;
};

/** A refresh token that we made is presented. */
export type RotateRefresh = {
  readonly presentedHash: string;
  /** What the presented token would be followed by, and the master key that it is derived under. */
  readonly successorHash: string;
  readonly keyGeneration: string;
  readonly limits: SessionLimits;
  readonly now: Date;
};

/**
 * The current token is rotated; its immediate predecessor, for a while, changes nothing and is answered with the current
 * one; any other was used before, so that somebody else may have it: the session is revoked (RFC 9700 §4.14.2).
 * Throws `InvalidGrant` where the session has ended.
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
  if (elapsedMs(session.issuedAt, now) >= limits.sessionLifetimeMs) throw new InvalidGrant('the session is over');
  if (elapsedMs(session.rotatedAt, now) >= limits.refreshIdleMs)
    throw new InvalidGrant('the session was idle too long');
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
