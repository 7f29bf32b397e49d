import { apiKeyDecider, apiKeyStream } from '../../access/api-keys/api-key.js';
import {
  apiKeySummary,
  changedApiKeySummary,
  endApiKey,
  issueApiKey,
  listApiKeys,
} from '../../access/api-keys/api-keys.js';
import {
  changedClientSummary,
  clientSummary,
  listClients,
  type OperateClient,
  operateClient,
} from '../../access/clients/operate-clients.js';
import { ApiKeyNotFound, ClientNotFound } from '../../access/errors.js';
import { load } from '../../stores/event-store/handle.js';
import { createApiKeyRoute, listApiKeysRoute, revokeApiKeyRoute } from './contracts/api-keys.js';
import {
  changeClientRoute,
  endPreviousClientSecretRoute,
  listClientsRoute,
  registerClientRoute,
  removeClientRoute,
  rotateClientSecretRoute,
} from './contracts/clients.js';
import { type BoundRoute, type CallContext, handle, type RouteStores } from './routing/admin-route.js';

export function clientRoutes({ store }: RouteStores): readonly BoundRoute[] {
  async function change(command: OperateClient, context: CallContext) {
    const { clientId, client, ...operated } = await operateClient(store, command, context);
    if (!client) throw new ClientNotFound(clientId);
    return changedClientSummary(client, operated, context.now);
  }

  return [
    handle(listClientsRoute, async (_, { now }) => {
      const items = (await listClients(store)).map((client) => clientSummary(client, now));
      return { items, next: null };
    }),
    handle(registerClientRoute, ({ body }, context) => change({ change: 'register', ...body }, context)),
    handle(changeClientRoute, ({ params, body }, context) => change({ change: 'change', ...params, ...body }, context)),
    handle(rotateClientSecretRoute, ({ params, body }, context) =>
      change({ change: 'rotate-secret', ...params, ...body }, context),
    ),
    handle(endPreviousClientSecretRoute, ({ params }, context) =>
      change({ change: 'end-previous-secret', ...params }, context),
    ),
    handle(removeClientRoute, async ({ params }, context) => {
      const { clientId, changed } = await operateClient(store, { change: 'remove', ...params }, context);
      return { clientId, changed };
    }),
  ];
}

export const apiKeyRoutes = ({ store, readModel }: RouteStores): readonly BoundRoute[] => [
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
