import type { SessionEvent } from '../../events/session-events.js';
import { sessionRevoked } from './revoke-session.js';
import type { Session, SessionFacts } from './session.js';

/** A verified code is exchanged for the first tokens of its session. */
export type IssueTokens = Pick<SessionFacts, 'clientId' | 'scopes'> & {
  readonly sessionId: string;
  readonly orgId: string;
  readonly userId: string;
  readonly refreshTokenHash: string;
  readonly keyGeneration: string;
  /** Whether an earlier exchange was interrupted by a failure of the service; then an existing session is no second use. */
  readonly resumes: boolean;
  readonly now: Date;
};

/**
 * Starts the session. A code works once: a second use revokes the session and so its tokens (RFC 6749 §4.1.2). The session is
 * active afterwards if the code may be exchanged, else revoked.
 */
export function issueTokens(command: IssueTokens, session: Session): SessionEvent[] {
  if (session.status === 'none') return [tokensIssued(command)];
  if (session.status === 'revoked') return [];
  if (command.resumes && session.rotations === 0) return [];
  return [sessionRevoked({ reason: 'code-reused', now: command.now }, session)];
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
