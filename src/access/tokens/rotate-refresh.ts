import type { SessionEvent } from '../../events/session-events.js';
import { InvalidGrant } from '../oauth-errors.js';
import { sessionRevoked } from './revoke-session.js';
import { type ActiveSession, factsOf, type Session } from './session.js';
import { elapsedMs, endOfSession, type SessionLimits } from './session-limits.js';

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
  const end = endOfSession(session, limits, now);
  if (end !== undefined) throw new InvalidGrant(end);
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
