import { deliveryStats, statsDays } from '../../deliveries/operate/hook-stats.js';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import { showStatsRoute } from './contracts/stats.js';
import { type BoundRoute, handle } from './routing/handle.js';

export type StatsRoutes = { readonly queue: Pick<DeliveryQueue, 'stats'> };

export const statsRoutes = ({ queue }: StatsRoutes): readonly BoundRoute[] => [
  handle(showStatsRoute, async ({ query: { orgId, listenerId, ...asked } }, { now }) => {
    const days = statsDays(asked, now.getTime());
    const query = { orgId, ...days, ...(listenerId !== undefined && { listenerId }) };
    return { ...days, ...(await deliveryStats(queue, query)) };
  }),
];
