import { RefreshReuseDetected, RefreshRotated, SessionRevoked, TokensIssued } from '../src/events/session-events.js';
import { patch, projection, put, remove } from '../src/stores/read-model/projection.js';

/** A user's session, for operators: never a token, nor the hash of one. */
export type SessionEntry = {
  readonly sessionId: string;
  readonly orgId: string;
  readonly userId: string;
  readonly state: 'active' | 'revoked';
  /**
   * ISO 8601: when it began, when its refresh token was last rotated, when an old one was presented, when it was
   * revoked.
   */
  readonly issuedAt: string;
  readonly rotatedAt: string;
  readonly reusedAt: string | null;
  readonly revokedAt: string | null;
  readonly rotations: number;
  /** Why it was revoked. */
  readonly reason: string | null;
  /** The client that it is bound to. */
  readonly clientId: string | null;
};

export const sessions = projection({
  name: 'sessions',
  version: 1,
  category: 'session',
  indexes: [['orgId', 'userId'], ['clientId'], ['userId']],
  events: [TokensIssued, RefreshRotated, RefreshReuseDetected, SessionRevoked],
  forget: (streams) => streams.map(({ stream }) => remove(stream.slice('session-'.length))),
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
