import type { SessionFacts } from '../tokens/session.js';

/** A session that has been revoked, for operators: without the hashes of its tokens. */
export const revokedSummary = ({ sessionId, orgId, userId, clientId, issuedAt, rotatedAt }: SessionFacts) => ({
  sessionId,
  orgId,
  userId,
  clientId,
  issuedAt,
  rotatedAt,
});
