import { publishedEventId } from '../../flows/publish-flow-event.js';
import { matches } from '../../flows/types/subscription-types.js';
import { requireTimeRange } from '../../kernel/input/parse-input.js';
import { canonicalUuid } from '../../kernel/input/texts.js';
import type { DeliveryQuery, DeliveryRecord, ListedDelivery } from '../queue/delivery-log.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import { beginningOf, skewMs } from './search-flow-events.js';

/** Conditions that the queue cannot index; times in milliseconds since 1970, inclusive. */
export type DeliverySearch = DeliveryQuery & {
  /** Of the flow event, as a subscription type selects it. */
  type?: string | undefined;
  /** Time of the enqueue. */
  from?: number | undefined;
  to?: number | undefined;
  /** Of the last attempt: a status, a class of failure, or `any`. */
  error?: string | undefined;
};

export type FoundDeliveries = {
  deliveries: readonly ListedDelivery[];
  /** `after` of the next page; undefined: the end. A short page may have a next one. */
  next: string | undefined;
};

/** Maximum number of deliveries examined for one page, which bounds the response time. */
const maxLookedAt = 5_000;

/**
 * Deliveries of an organisation, of the latest flow events first, page by page. A period is found by the positions of its
 * flow events; deliveries of replays are in it if these events are. Throws `InvalidRequest` if `from` is later than `to`.
 */
export async function searchDeliveries(
  queue: Pick<DeliveryQueue, 'list' | 'knownEvent' | 'latestEvents'>,
  { type, from, to, error, limit = 100, ...query }: DeliverySearch,
): Promise<FoundDeliveries> {
  requireTimeRange({ from, to });
  const isWanted = ({ eventType, enqueuedAt, lastError, lastStatus }: DeliveryRecord) =>
    (type === undefined || matches(type, eventType)) &&
    (from === undefined || enqueuedAt >= from) &&
    (to === undefined || enqueuedAt <= to) &&
    (error === undefined || (lastError !== undefined && [lastError, String(lastStatus), 'any'].includes(error)));
  // An organisation's flow events are enqueued in the order of their positions.
  const isTooOld = ({ enqueuedAt, replay }: DeliveryRecord) =>
    from !== undefined && replay === undefined && enqueuedAt < from - skewMs;
  const isNamed = query.id !== undefined || query.eventId !== undefined || query.replay !== undefined;
  const before =
    to === undefined || isNamed
      ? undefined
      : await beginningOf(queue, query.orgId, { before: undefined, latest: to + skewMs });
  const deliveries: ListedDelivery[] = [];
  let next = query.after;
  for (let lookedAt = 0; lookedAt < maxLookedAt; ) {
    const page = await findDeliveries(queue, {
      ...query,
      limit,
      ...(next !== undefined && { after: next }),
      ...(before !== undefined && { before }),
    });
    for (const delivery of page) {
      if (!isNamed && isTooOld(delivery)) return { deliveries, next: undefined };
      next = delivery.cursor;
      if (isWanted(delivery) && deliveries.push(delivery) === limit) return { deliveries, next };
    }
    if (page.length < limit) return { deliveries, next: undefined };
    lookedAt += page.length;
  }
  return { deliveries, next };
}

/**
 * Deliveries of an organisation, of the latest events first. `eventId`: the flow event's id of its producer: the
 * published id, or the UUID in the store of an appended event.
 */
async function findDeliveries(
  queue: Pick<DeliveryQueue, 'list' | 'knownEvent'>,
  query: DeliveryQuery,
): Promise<readonly ListedDelivery[]> {
  if (query.eventId === undefined) return queue.list(query);
  return queue.list({ ...query, eventId: await storeEventId(queue, query.orgId, query.eventId) });
}

/** The UUID that a flow event has in the store. */
export async function storeEventId(
  queue: Pick<DeliveryQueue, 'knownEvent'>,
  orgId: string,
  eventId: string,
): Promise<string> {
  const published = publishedEventId(orgId, eventId);
  return (await queue.knownEvent(orgId, published)) ? published : canonicalUuid(eventId);
}
