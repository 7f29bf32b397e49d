import { ApiKeyNotFound, apiKeyDecider, apiKeyStream } from '../../access/api-keys/api-key.js';
import { apiKeySummary, changedApiKeySummary, listApiKeys } from '../../access/api-keys/list-api-keys.js';
import { endApiKey, issueApiKey } from '../../access/api-keys/operate-api-keys.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { load } from '../../stores/event-store/handle.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import { createApiKeyRoute, listApiKeysRoute, revokeApiKeyRoute } from './contracts/api-keys.js';
import { type BoundRoute, handle } from './routing/handle.js';

export type ApiKeyRoutes = { readonly store: EventStore; readonly readModel: ReadModel };

export const apiKeyRoutes = ({ store, readModel }: ApiKeyRoutes): readonly BoundRoute[] => [
  handle(listApiKeysRoute, async ({ query: { orgId, ...page } }, { now }) => {
    const { keys, next } = await listApiKeys(readModel, orgId, page);
    return { items: keys.map((key) => apiKeySummary(key, now)), next: next ?? null };
  }),

  handle(createApiKeyRoute, async ({ body }, context) => {
    const { key, text } = await issueApiKey(store, body, context);
    return { ...changedApiKeySummary(key, [{ type: 'ApiKeyCreated' }]), key: text };
  }),

  handle(
    revokeApiKeyRoute,
    async ({ params: { id } }, context) => {
      const { key, events } = await endApiKey(store, id, context);
      return changedApiKeySummary(key, events);
    },
    {
      async of({ params: { id } }) {
        const { state: key } = await load(store, apiKeyStream(id), apiKeyDecider);
        return key.status === 'none' ? undefined : key.orgId;
      },
      missing: ({ params: { id } }) => new ApiKeyNotFound(id),
    },
  ),
];
