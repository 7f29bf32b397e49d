import type { SessionEvent } from '../../events/session-events.js';
import type { CheckedClient } from '../clients/client-authentication.js';
import { InvalidGrant, InvalidScope } from '../errors.js';
import {
  type ActiveSession,
  elapsedMs,
  endOfSession,
  factsOf,
  type RevocationReason,
  type Session,
  type SessionFacts,
  type SessionLimits,
} from './session.js';

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

/** A refresh token of the service was presented. */
export type RotateRefresh = {
  readonly presentedHash: string;
  /** The successor of the presented token, and the master key that it is derived from. */
  readonly successorHash: string;
  readonly keyGeneration: string;
  /** The client that presented it; undefined: no client is registered. */
  readonly presentedBy?: CheckedClient | undefined;
  /** The requested scopes; undefined: all of the session. */
  readonly scopes?: readonly string[] | undefined;
  readonly limits: SessionLimits;
  readonly now: Date;
};

/**
 * Rotates the current token. Its immediate predecessor changes nothing within the grace period; the response has the current
 * token. Any older token was used before and may be stolen: the session is revoked (RFC 9700 §4.14.2).
 * A session without a client is bound to the first one that presents its token. Throws `InvalidGrant` if the session has ended
 * or belongs to another client, `InvalidClient` without the credentials of its client, and `InvalidScope`.
 */
export function rotateRefresh(command: RotateRefresh, session: Session): SessionEvent[] {
  requireActiveSession(session, command);
  requireClientOf(session, command);
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

/**
 * RFC 6749 §6. Checked before a reuse is detected, so that a caller without credentials cannot revoke the session. Credentials
 * that a session without a client does not need are not refused: platforms send them before they are registered, and treat a
 * refusal as a dead connection.
 */
function requireClientOf(session: ActiveSession, { presentedBy, scopes }: RotateRefresh): void {
  const { clientId } = session;
  if (clientId === null) return;
  if (!presentedBy) throw new InvalidGrant('the client of the session has been removed');
  if ('refusal' in presentedBy) throw presentedBy.refusal;
  if (presentedBy.client.clientId !== clientId) throw new InvalidGrant('the refresh token belongs to another client');
  const exceeding = scopes?.find((scope) => session.scopes?.every((each) => each !== scope));
  if (exceeding !== undefined) throw new InvalidScope('the session does not have all requested scopes');
}

/** Whether this is the immediate predecessor of the current token, and still accepted. */
export const isWithinGrace = (
  { presentedHash, limits, now }: Pick<RotateRefresh, 'presentedHash' | 'limits' | 'now'>,
  session: ActiveSession,
): boolean => presentedHash === session.previousHash && elapsedMs(session.rotatedAt, now) < limits.refreshGraceMs;

const refreshRotated = (command: RotateRefresh, session: ActiveSession): SessionEvent => ({
  type: 'RefreshRotated',
  data: {
    ...factsOf(session),
    rotatedAt: command.now.toISOString(),
    currentHash: command.successorHash,
    keyGeneration: command.keyGeneration,
    previousHash: session.currentHash,
    rotations: session.rotations + 1,
    ...clientAfter(command, session),
  },
});

/** The client and the scopes of the session from now on. */
function clientAfter({ presentedBy }: RotateRefresh, { clientId, scopes }: ActiveSession): ClientOfSession {
  if (clientId !== null || !presentedBy || 'refusal' in presentedBy) return { clientId, scopes };
  return { clientId: presentedBy.client.clientId, scopes: [...presentedBy.client.scopes] };
}

type ClientOfSession = Pick<ActiveSession, 'clientId' | 'scopes'>;

export type RevokeSession = { readonly reason: RevocationReason; readonly now: Date };

/** Ends a session: its tokens are refused from now on. Changes nothing if it has ended or does not exist. */
export const revokeSession = (command: RevokeSession, session: Session): SessionEvent[] =>
  session.status === 'active' ? [sessionRevoked(command, session)] : [];

const sessionRevoked = ({ reason, now }: RevokeSession, session: ActiveSession): SessionEvent => ({
  type: 'SessionRevoked',
  data: { ...factsOf(session), reason, revokedAt: now.toISOString() },
});
