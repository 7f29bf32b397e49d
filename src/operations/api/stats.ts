import Router from '@koa/router';
import { statsRequest } from '../../deliveries/operate/contract.js';
import { deliveryStats, statsDays } from '../../deliveries/operate/hook-stats.js';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import { type AdminRoutes, type AdminState, queryOf } from './context.js';

export type StatsRoutes = { readonly queue: Pick<DeliveryQueue, 'stats'> };

/** `GET /stats?orgId=`: the results of attempts, by hook and by day; `from` and `to` are days in UTC: see `statsDays`. */
export function statsRoutes({ queue }: StatsRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>();

  router.get('/stats', async (ctx) => {
    const { orgId, listenerId, ...asked } = queryOf(ctx, statsRequest);
    const days = statsDays(asked, Date.now());
    const query = { orgId, ...days, ...(listenerId !== undefined && { listenerId }) };
    ctx.body = { ...days, ...(await deliveryStats(queue, query)) };
  });

  return router;
}
