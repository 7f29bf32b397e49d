import { keysDecider } from '../../access/keys/recorded-keys.js';
import type { ServiceKeys } from '../../access/keys/service-keys.js';
import { recentActivity } from '../../deliveries/queries/activity.js';
import { keysStream } from '../../events/key-events.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import { maskedHookUrl } from '../../listeners/hook-url.js';
import { listenersInTrouble } from '../../listeners/queries/listener-health.js';
import { load } from '../../stores/event-store/handle.js';
import { listKeys } from '../keys/list-keys.js';
import {
  listBacklogRoute,
  listKeysRoute,
  listListenersInTroubleRoute,
  showActivityRoute,
  showServiceRoute,
} from './contracts/service.js';
import { type BoundRoute, handle, type RouteStores } from './routing/admin-route.js';

type ActivityRoutes = RouteStores & {
  instanceStatus: () => RouteAnswer<typeof showServiceRoute>;
};

export const activityRoutes = ({ queue, instanceStatus }: ActivityRoutes): readonly BoundRoute[] => [
  handle(showActivityRoute, ({ query: { minutes } }, { now }) =>
    recentActivity(queue, { minutes, now: now.getTime() }),
  ),

  handle(listListenersInTroubleRoute, async ({ query: { limit } }, { now }) => ({
    items: await listenersInTrouble(queue, { limit, now: now.getTime() }),
  })),

  handle(listBacklogRoute, async ({ query }) => ({
    items: (await queue.listeners(query)).map(({ listenerId, orgId, hookUrl, waiting, held }) => ({
      listenerId,
      orgId,
      waiting,
      held,
      hookUrl: maskedHookUrl(hookUrl),
    })),
  })),

  handle(showServiceRoute, () => instanceStatus()),
];

type KeyRoutes = RouteStores & {
  keys: Pick<ServiceKeys, 'masterKeys' | 'signingKeys'>;
};

export const keyRoutes = ({ store, keys }: KeyRoutes): readonly BoundRoute[] => [
  handle(listKeysRoute, async (_, { now }) => {
    const { state: recorded } = await load(store, keysStream, keysDecider);
    return { items: listKeys(keys, recorded, now), next: null };
  }),
];
