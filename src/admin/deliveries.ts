import Router from '@koa/router';
import { z } from 'zod';
import type { DeliveryQueue } from '../deliveries/delivery-queue.js';
import { findDeliveries } from '../deliveries/find-deliveries.js';
import { countsSummary, deliverySummary } from '../deliveries/summaries.js';
import { opaqueId } from '../identity/opaque-id.js';
import { type AdminRoutes, type AdminState, type List, limitParameter, queryOf } from './context.js';

export type DeliveryRoutes = { readonly queue: Pick<DeliveryQueue, 'counts' | 'list'> };

const listQuery = {
  orgId: opaqueId,
  // A hook's URL is a capability and never in a query, which lands in access logs: its listener ID names it.
  listenerId: z.uuid({ error: 'must be the ID of a listener' }).optional(),
  eventId: opaqueId.optional(),
  limit: limitParameter,
};

/** `GET /deliveries?orgId=`, those of the latest flow events first, and `GET /deliveries/status`: how many there are. */
export function deliveryRoutes({ queue }: DeliveryRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>();

  router.get('/deliveries', async (ctx) => {
    const { orgId, listenerId, eventId, limit } = queryOf(ctx, listQuery);
    const found = await findDeliveries(queue, {
      ...{ orgId, limit },
      ...(listenerId !== undefined && { listenerId }),
      ...(eventId !== undefined && { eventId }),
    });
    ctx.body = { items: found.map(deliverySummary), next: null } satisfies List<unknown>;
  });

  router.get('/deliveries/status', async (ctx) => {
    queryOf(ctx, {});
    ctx.body = countsSummary(await queue.counts(Date.now()));
  });

  return router;
}
