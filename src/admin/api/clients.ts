import { changedClientSummary, clientSummary } from '../../access/clients/client-summary.js';
import { ClientNotFound } from '../../access/clients/errors.js';
import { listClients, type OperateClient, operateClient } from '../../access/clients/operate-clients.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import {
  changeClientRoute,
  endPreviousClientSecretRoute,
  listClientsRoute,
  registerClientRoute,
  removeClientRoute,
  rotateClientSecretRoute,
} from './contracts/clients.js';
import { type BoundRoute, type CallContext, handle } from './routing/handle.js';

export type ClientRoutes = { readonly store: EventStore };

export function clientRoutes({ store }: ClientRoutes): readonly BoundRoute[] {
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
