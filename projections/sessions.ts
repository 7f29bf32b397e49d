import { RefreshReuseDetected, RefreshRotated, SessionRevoked, TokensIssued } from '../src/events/session-events.js';
import { patch, projection, put, remove } from '../src/views/projection.js';

/** Contains neither tokens nor their hashes. */
export type SessionEntry = {
  sessionId: string;
  orgId: string;
  userId: string;
  state: 'active' | 'revoked';
  /** ISO 8601; `reusedAt`: an old token was presented. */
  issuedAt: string;
  rotatedAt: string;
  reusedAt: string | null;
  revokedAt: string | null;
  rotations: number;
  reason: string | null;
  clientId: string | null;
};

export const sessions = projection({
  name: 'sessions',
  version: 1,
  category: 'session',
  indexes: [['orgId', 'userId'], ['clientId'], ['userId']],
  events: [TokensIssued, RefreshRotated, RefreshReuseDetected, SessionRevoked],
  forget: ({ ids }) => ids.map(remove),
  on: {
    TokensIssued: ({ data: { sessionId, orgId, userId, issuedAt, rotatedAt, rotations, clientId } }) => {
      const document: SessionEntry = {
        sessionId,
        orgId,
        userId,
        state: 'active',
        issuedAt,
        rotatedAt,
        rotations,
        reusedAt: null,
        revokedAt: null,
        reason: null,
        clientId,
      };
      return put(sessionId, document);
    },
    RefreshRotated: ({ data: { sessionId, rotatedAt, rotations, clientId } }) =>
      patch(sessionId, { rotatedAt, rotations, clientId }),
    RefreshReuseDetected: ({ data, recordedAt }) => patch(data.sessionId, { reusedAt: recordedAt }),
    SessionRevoked: ({ data: { sessionId, revokedAt, reason } }) =>
      patch(sessionId, { state: 'revoked', revokedAt, reason }),
  },
});
