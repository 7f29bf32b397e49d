import type { Imported } from '../../events/imported.js';
import type { SessionEvent } from '../../events/session-events.js';
import type { CheckedClient } from '../clients/client-authentication.js';
import { InvalidGrant, InvalidScope } from '../errors.js';
import { narrowed, type RequestedResource } from '../protected-resource.js';
import {
  type ActiveSession,
  elapsedMs,
  endOfSession,
  factsOf,
  type RefreshGrace,
  type RevocationReason,
  type Session,
  type SessionFacts,
  type SessionLimits,
} from './session.js';

type NewSession = Pick<
  SessionFacts,
  'sessionId' | 'orgId' | 'userId' | 'clientId' | 'scopes' | 'resource' | 'keyGeneration'
> & {
  refreshTokenHash: string;
  now: Date;
};

export type IssueTokens = NewSession & {
  /** An earlier exchange failed because of the service: an existing session is no second use. */
  resumes: boolean;
  /** False for a public client. */
  isAuthenticated: boolean;
  limits: RefreshGrace;
};

/**
 * A second use of a code revokes the session (RFC 6749 §4.1.2); an exact repeat within the grace period, before a
 * refresh, gets the same refresh token.
 */
export function issueTokens(command: IssueTokens, session: Session): SessionEvent[] {
  if (session.status === 'none') return [tokensIssued(command)];
  if (session.status === 'revoked') return [];
  if (session.rotations === 0 && (command.resumes || isRepeat(command, session))) return [];
  return [sessionRevoked({ reason: 'code-reused', now: command.now }, session)];
}

/** An exact repeat by the client that began the session, within the grace period. */
function isRepeat(command: IssueTokens, session: ActiveSession): boolean {
  const { isAuthenticated, clientId, refreshTokenHash, keyGeneration, limits, now } = command;
  // The hash tells requests apart, unless the master key was rotated in between; the exchange then compares the tokens themselves.
  const isSameRequest = refreshTokenHash === session.currentHash || keyGeneration !== session.keyGeneration;
  const isOfClient = isAuthenticated && clientId === session.clientId;
  return isSameRequest && isOfClient && elapsedMs(session.issuedAt, now) < limits.refreshGraceMs;
}

export type ImportSession = NewSession & Imported;

/** Begins the session of a refresh token of another system, by the token's hash. Limits count from now; a known session is left. */
export const importSession = (command: ImportSession, session: Session): SessionEvent[] =>
  session.status === 'none' ? [tokensIssued(command, { beganAt: command.beganAt })] : [];

function tokensIssued(command: NewSession, imported?: Imported): SessionEvent {
  const { sessionId, orgId, userId, clientId, scopes, resource, refreshTokenHash, keyGeneration, now } = command;
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
      ...(resource !== undefined && { resource }),
      ...(imported && { imported }),
    },
  };
}

export type RotateRefresh = {
  presentedHash: string;
  successorHash: string;
  keyGeneration: string;
  presentedBy?: CheckedClient;
  scopes?: readonly string[];
  resource?: RequestedResource;
  limits: SessionLimits;
  now: Date;
};

/**
 * The immediate predecessor changes nothing within the grace period; an older token revokes the session (RFC 9700
 * §4.14.2). A session without a client is bound to the first one. Throws `InvalidGrant`, `InvalidClient`,
 * `InvalidScope` and `InvalidTarget`.
 */
export function rotateRefresh(command: RotateRefresh, session: Session): SessionEvent[] {
  requireActiveSession(session, command);
  requireClientOf(session, command);
  narrowed(session.resource, command.resource);
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

/** True for the immediate predecessor of the current token while it is accepted. */
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

function clientAfter({ presentedBy }: RotateRefresh, { clientId, scopes }: ActiveSession): ClientOfSession {
  if (clientId !== null || !presentedBy || 'refusal' in presentedBy) return { clientId, scopes };
  return { clientId: presentedBy.client.clientId, scopes: [...presentedBy.client.scopes] };
}

type ClientOfSession = Pick<ActiveSession, 'clientId' | 'scopes'>;

export type RevokeSession = { reason: RevocationReason; now: Date };

/** Changes nothing if it has ended or does not exist. */
export const revokeSession = (command: RevokeSession, session: Session): SessionEvent[] =>
  session.status === 'active' ? [sessionRevoked(command, session)] : [];

const sessionRevoked = ({ reason, now }: RevokeSession, session: ActiveSession): SessionEvent => ({
  type: 'SessionRevoked',
  data: { ...factsOf(session), reason, revokedAt: now.toISOString() },
});
