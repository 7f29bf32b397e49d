import Router from '@koa/router';
import { z } from 'zod';
import { deliveryStats } from '../../deliveries/operate/hook-stats.js';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import { opaqueId } from '../../kernel/opaque-id.js';
import { listenerIdParameter } from '../../kernel/uuid-parameter.js';
import { type AdminRoutes, type AdminState, queryOf } from './context.js';

export type StatsRoutes = { readonly queue: Pick<DeliveryQueue, 'stats'> };

const day = z.iso.date({ error: 'must be a day such as 2026-01-31' });
const dayMs = 86_400_000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** `GET /stats?orgId=`: the results of attempts, by hook and by day; `from` and `to` are days in UTC, by default the last 30. */
export function statsRoutes({ queue }: StatsRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>();

  router.get('/stats', async (ctx) => {
    const { orgId, listenerId, from, to } = queryOf(ctx, {
      orgId: opaqueId,
      listenerId: listenerIdParameter.optional(),
      from: day.default(dayOf(Date.now() - 29 * dayMs)),
      to: day.default(dayOf(Date.now())),
    });
    const query = { orgId, from, to, ...(listenerId !== undefined && { listenerId }) };
    ctx.body = { from, to, ...(await deliveryStats(queue, query)) };
  });

  return router;
}
