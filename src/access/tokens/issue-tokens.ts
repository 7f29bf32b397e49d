import type { SessionEvent } from '../../events/session-events.js';
import { sessionRevoked } from './revoke-session.js';
import type { ActiveSession, Session, SessionFacts } from './session.js';
import { elapsedMs, type SessionLimits } from './session-limits.js';

/** A verified code is exchanged for the first tokens of its session. */
export type IssueTokens = Pick<SessionFacts, 'clientId' | 'scopes'> & {
  readonly sessionId: string;
  readonly orgId: string;
  readonly userId: string;
  readonly refreshTokenHash: string;
  readonly keyGeneration: string;
  /** Whether an earlier exchange was interrupted by a failure of the service; then an existing session is no second use. */
  readonly resumes: boolean;
  /** Whether the client has proved its identity with its secret; a public client cannot. */
  readonly isAuthenticated: boolean;
  readonly limits: Pick<SessionLimits, 'refreshGraceMs'>;
  readonly now: Date;
};

/**
 * Starts the session. A code works once: a second use revokes the session and so its tokens (RFC 6749 §4.1.2). But a client
 * that did not get the answer may repeat its request exactly: within the grace period, and until it has refreshed, it gets the same
 * refresh token, which is derived from the request. The session is active afterwards if the code may be exchanged, else revoked.
 */
export function issueTokens(command: IssueTokens, session: Session): SessionEvent[] {
  if (session.status === 'none') return [tokensIssued(command)];
  if (session.status === 'revoked') return [];
  if (session.rotations === 0 && (command.resumes || isRepeat(command, session))) return [];
  return [sessionRevoked({ reason: 'code-reused', now: command.now }, session)];
}

/** Whether the client that began the session, and no other caller, repeats its request exactly within the grace period. */
function isRepeat(command: IssueTokens, session: ActiveSession): boolean {
  const { isAuthenticated, clientId, refreshTokenHash, keyGeneration, limits, now } = command;
  // The hash tells requests apart, unless the master key was rotated in between; the exchange then compares the tokens themselves.
  const isSameRequest = refreshTokenHash === session.currentHash || keyGeneration !== session.keyGeneration;
  const isOfClient = isAuthenticated && clientId === session.clientId;
  return isSameRequest && isOfClient && elapsedMs(session.issuedAt, now) < limits.refreshGraceMs;
}

function tokensIssued(command: IssueTokens): SessionEvent {
  const { sessionId, orgId, userId, clientId, scopes, refreshTokenHash, keyGeneration, now } = command;
  const issuedAt = now.toISOString();
  return {
    type: 'TokensIssued',
    data: {
      sessionId,
      orgId,
      userId,
      issuedAt,
      rotatedAt: issuedAt,
      currentHash: refreshTokenHash,
      keyGeneration,
      previousHash: null,
      rotations: 0,
      clientId,
      scopes,
    },
  };
}
