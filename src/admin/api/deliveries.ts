import { redeliverOne, redeliverSeveral, showDelivery } from '../../deliveries/commands/redeliver.js';
import type { SetAsideRetries } from '../../deliveries/commands/retry-set-aside.js';
import { fanOutPosition, partitionCount } from '../../deliveries/fan-out/partitions.js';
import { deadLetters, deliveryFilter } from '../../deliveries/queries/contract.js';
import { deliveryStats, statsDays } from '../../deliveries/queries/listener-stats.js';
import { countedDeliveries, searchDeliveries } from '../../deliveries/queries/search-deliveries.js';
import { sentRequest } from '../../deliveries/queries/sent-request.js';
import {
  attemptSummary,
  countsSummary,
  deliverySummaries,
  deliverySummary,
  retriedSummary,
  setAsideSummary,
} from '../../deliveries/queries/summaries.js';
import { boundedPage, unfiltered } from '../../kernel/bounded-page.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { defined } from '../../kernel/input/defined.js';
import type { PageRequest } from '../../kernel/pages.js';
import type { DeliveryState, SetAside } from '../../queue/delivery.js';
import { replaysDuring } from '../replays/find-replays.js';
import {
  countDeliveriesRoute,
  listDeliveriesRoute,
  redeliverDeliveriesRoute,
  redeliverDeliveryRoute,
  showDeliveryRoute,
  showSentRequestRoute,
  showStatsRoute,
} from './contracts/deliveries.js';
import { listOfPage } from './contracts/fields.js';
import { listSetAsideRoute, retrySetAsideRoute } from './contracts/set-aside.js';
import { type BoundRoute, handle, type RouteStores } from './routing/admin-route.js';

const searchOf = <Query extends { state?: DeliveryState }>({ state, ...query }: Query) => ({
  ...defined(query),
  ...(state && { states: [state] }),
});

export function deliveryRoutes({ queue, readModel }: RouteStores): readonly BoundRoute[] {
  const during = replaysDuring(readModel);
  return [
    handle(listDeliveriesRoute, async ({ query: { order, counted, ...query } }, { now }) => {
      const search = searchOf(query);
      const isFirst = order !== undefined || counted !== undefined;
      if (isFirst && query.after !== undefined)
        throw new InvalidRequest('order and counted apply to the first page: they exclude after');
      const { deliveries, next, total } = isFirst
        ? await countedDeliveries(queue, { ...search, order }, during)
        : await searchDeliveries(queue, search, during);
      return {
        items: await deliverySummaries(queue, deliveries, now.getTime()),
        next: next ?? null,
        total,
      };
    }),

    handle(countDeliveriesRoute, async (_, { now }) => ({
      ...countsSummary(await queue.counts(now.getTime())),
      fanOutPosition: (await fanOutPosition(queue))?.toString() ?? null,
      fanOutPartitions: await partitionCount(queue),
    })),

    handle(showDeliveryRoute, async ({ query: { orgId }, params: { id } }, { now }) => {
      const { delivery, attempts } = await showDelivery(queue, orgId, id);
      return { ...(await deliverySummary(queue, delivery, now.getTime())), log: attempts.map(attemptSummary) };
    }),

    handle(showSentRequestRoute, ({ query: { orgId }, params: { id } }) => sentRequest(queue, orgId, id)),

    handle(redeliverDeliveriesRoute, async ({ body: { ids, ...query } }, { now }) => {
      if (ids && ['states', ...Object.keys(deliveryFilter)].some((name) => name in query)) {
        throw new InvalidRequest('ids select the deliveries: they exclude a filter');
      }
      const selection = ids ? { orgId: query.orgId, ids } : { states: deadLetters, ...defined(query) };
      const { next, ...redelivered } = await redeliverSeveral(queue, selection, now.getTime(), during);
      return { ...redelivered, next: next ?? null };
    }),

    handle(redeliverDeliveryRoute, async ({ body: { orgId }, params: { id } }, { now }) => {
      const delivery = await redeliverOne(queue, orgId, id, now.getTime());
      return deliverySummary(queue, delivery, now.getTime());
    }),

    handle(showStatsRoute, async ({ query: { orgId, listenerId, ...asked } }, { now }) => {
      const days = statsDays(asked, now.getTime());
      const query = { orgId, ...days, listenerId };
      return { ...days, ...(await deliveryStats(queue, query, now.getTime())) };
    }),
  ];
}

type SetAsideRoutes = RouteStores & { retries: SetAsideRetries };

const bytesOf = ({ stream, type, reason }: SetAside): number => Buffer.byteLength(stream + type + reason) + 128;

export const setAsideRoutes = ({ queue, retries }: SetAsideRoutes): readonly BoundRoute[] => [
  handle(listSetAsideRoute, async ({ query: { limit, after } }) => {
    const list = (page: PageRequest<bigint>) => queue.setAside(page);
    const page = await boundedPage({ limit, after }, { ...unfiltered(list, ({ position }) => position), bytesOf });
    return listOfPage({ ...page, items: page.items.map(setAsideSummary) });
  }),

  handle(retrySetAsideRoute, async ({ body: { stream, revision, after, limit } }) => {
    if (stream !== undefined && revision !== undefined)
      return { items: [retriedSummary(await retries.one({ stream, revision }))], next: null };
    if (stream !== undefined || revision !== undefined) throw new InvalidRequest('stream and revision go together');
    const retried = await retries.page({ after, limit });
    const next = retried.length < limit ? undefined : retried.at(-1)?.position;
    return listOfPage({ items: retried.map(retriedSummary), next });
  }),
];
