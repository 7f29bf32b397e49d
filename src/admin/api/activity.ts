import { recentActivity } from '../../deliveries/queries/activity.js';
import { listenersInTrouble } from '../../deliveries/queries/listeners-in-trouble.js';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import { listListenersInTroubleRoute, showActivityRoute } from './contracts/activity.js';
import { showServiceRoute } from './contracts/service.js';
import { type BoundRoute, handle } from './routing/handle.js';

export type ActivityRoutes = {
  readonly queue: Pick<DeliveryQueue, 'activity' | 'listenersInTrouble'>;
  /** The state of this instance. */
  readonly instanceStatus: () => RouteAnswer<typeof showServiceRoute>;
};

export const activityRoutes = ({ queue, instanceStatus }: ActivityRoutes): readonly BoundRoute[] => [
  handle(showActivityRoute, ({ query: { minutes } }, { now }) =>
    recentActivity(queue, { minutes, now: now.getTime() }),
  ),

  handle(listListenersInTroubleRoute, async ({ query: { limit } }, { now }) => ({
    items: await listenersInTrouble(queue, { limit, now: now.getTime() }),
  })),

  handle(showServiceRoute, () => instanceStatus()),
];
