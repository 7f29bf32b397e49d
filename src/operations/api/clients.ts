import Router from '@koa/router';
import { clientSummary, operatedClientSummary } from '../../access/clients/client-summary.js';
import {
  changeClientRequest,
  registerClientRequest,
  rotateClientSecretRequest,
} from '../../access/clients/contract.js';
import { listClients, type OperateClient, operateClient } from '../../access/clients/operate-clients.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type AdminContext, type AdminRoutes, type AdminState, bodyOf, type List, queryOf } from './context.js';

export type ClientRoutes = { readonly store: EventStore };

/**
 * `GET /clients` lists the registered clients, `POST /clients` registers one. `POST /clients/{clientId}/change`,
 * `/rotate-secret`, `/end-previous-secret` and `/remove` change it. Each answers the client, with the types of the appended
 * events in `changed`; registering and rotating also answer the generated `clientSecret`, which is not shown again.
 */
export function clientRoutes({ store }: ClientRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>({ prefix: '/clients' });

  async function change(ctx: AdminContext, command: OperateClient): Promise<void> {
    const now = new Date();
    ctx.body = operatedClientSummary(await operateClient(store, command, { cause: ctx.state.cause, now }), now);
  }

  router.get('/', async (ctx) => {
    queryOf(ctx, {});
    const now = new Date();
    const items = (await listClients(store)).map((client) => clientSummary(client, now));
    ctx.body = { items, next: null } satisfies List<unknown>;
  });

  router.post('/', async (ctx) => {
    await change(ctx, { change: 'register', ...bodyOf(ctx, registerClientRequest) });
    ctx.status = 201;
  });

  router.post('/:clientId/change', (ctx) =>
    change(ctx, { change: 'change', clientId: clientIdOf(ctx), ...bodyOf(ctx, changeClientRequest) }),
  );

  router.post('/:clientId/rotate-secret', (ctx) =>
    change(ctx, { change: 'rotate-secret', clientId: clientIdOf(ctx), ...bodyOf(ctx, rotateClientSecretRequest) }),
  );

  for (const verb of ['end-previous-secret', 'remove'] as const) {
    router.post(`/:clientId/${verb}`, (ctx) => {
      bodyOf(ctx, {});
      return change(ctx, { change: verb, clientId: clientIdOf(ctx) });
    });
  }

  return router;
}

const clientIdOf = ({ params }: AdminContext): string => params.clientId ?? '';
