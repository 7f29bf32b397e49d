import type { SessionEvent } from '../../events/session-events.js';
import { sessionRevoked } from './revoke-session.js';
import type { Session } from './session.js';

/** A verified code is exchanged for the first tokens of its session. */
export type IssueTokens = {
  readonly sessionId: string;
  readonly orgId: string;
  readonly userId: string;
  readonly refreshTokenHash: string;
  readonly keyGeneration: string;
  /** Whether this goes on with an exchange that we ourselves have cut short: then finding its session is no second use. */
  readonly resumes: boolean;
  readonly now: Date;
};

/**
 * The session is active afterwards where the code may have its tokens, else revoked: a code works once, and using it again
 * revokes what it gave (RFC 6749 §4.1.2).
 */
export function issueTokens(command: IssueTokens, session: Session): SessionEvent[] {
  if (session.status === 'none') return [tokensIssued(command)];
  if (session.status === 'revoked') return [];
  if (command.resumes && session.rotations === 0) return [];
  return [sessionRevoked({ reason: 'code-reused', now: command.now }, session)];
}

function tokensIssued(command: IssueTokens): SessionEvent {
  const { sessionId, orgId, userId, refreshTokenHash, keyGeneration, now } = command;
  const at = now.toISOString();
  return {
    type: 'TokensIssued',
    data: {
      sessionId,
      ...{ orgId, userId, issuedAt: at, rotatedAt: at },
      ...{ currentHash: refreshTokenHash, keyGeneration, previousHash: null, rotations: 0 },
    },
  };
}
