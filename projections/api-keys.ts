import { apiKeyEvents } from '../src/events/api-key-events.js';
import { actorOf } from '../src/stores/event-store/codec.js';
import { patch, projection, put, remove } from '../src/views/projection.js';

/** Contains neither the key nor its hash. */
export type ApiKeyEntry = {
  apiKeyId: string;
  name: string;
  orgId: string | null;
  scopes: readonly string[];
  state: 'active' | 'revoked';
  /** ISO 8601. */
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  revokedAt: string | null;
  createdBy: string | null;
  revokedBy: string | null;
};

export const apiKeys = projection({
  name: 'api-keys',
  version: 1,
  category: 'apiKey',
  indexes: [['orgId']],
  events: apiKeyEvents,
  forget: ({ ids }) => ids.map(remove),
  on: {
    ApiKeyCreated: (event) => {
      const { apiKeyId, name, orgId, scopes, createdAt, expiresAt } = event.data;
      const document: ApiKeyEntry = {
        apiKeyId,
        name,
        orgId,
        scopes,
        state: 'active',
        createdAt,
        expiresAt,
        lastUsedAt: null,
        revokedAt: null,
        createdBy: actorOf(event),
        revokedBy: null,
      };
      return put(apiKeyId, document);
    },
    ApiKeyUsed: ({ data: { apiKeyId, lastUsedAt } }) => patch(apiKeyId, { lastUsedAt }),
    ApiKeyRevoked: (event) => {
      const { apiKeyId, revokedAt } = event.data;
      return patch(apiKeyId, { state: 'revoked', revokedAt, revokedBy: actorOf(event) });
    },
  },
});
