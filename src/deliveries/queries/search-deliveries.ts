import { publishedEventId } from '../../flows/publish-flow-event.js';
import { matches } from '../../flows/types/subscription-types.js';
import { boundedPage } from '../../kernel/bounded-page.js';
import { requireTimeRange } from '../../kernel/input/parse-input.js';
import { canonicalUuid } from '../../kernel/input/texts.js';
import type { PageRequest } from '../../kernel/pages.js';
import type {
  DeliveryFinder,
  DeliveryQuery,
  DeliveryRecord,
  EventFinder,
  ListedDelivery,
  ListedPage,
} from '../../queue/delivery-log.js';
import { noCursor } from '../../queue/delivery-pages.js';
import { beginningOf, skewMs } from './search-flow-events.js';

/** Conditions that the queue cannot index; times in milliseconds since 1970, inclusive. */
export type DeliverySearch = DeliveryQuery & {
  /** Type of the flow event, as a subscription type selects it. */
  type?: string;
  /** Time of the enqueue. */
  from?: number;
  to?: number;
  /** Result of the last attempt: a status, a class of failure, or `any`. */
  error?: string;
};

export type FoundDeliveries = {
  deliveries: readonly ListedDelivery[];
  /** `after` of the next page; undefined: the end. A short page may have a next one. */
  next: string | undefined;
  /** Number of all that match; `isAll`: there are no others. */
  total?: { count: number; isAll: boolean };
};

/** Maximum number of deliveries that are counted, or ordered by their last attempt: bounds the cost. */
const maxCounted = 1_000;

/** IDs of the organisation's replays that were under way in a period, in milliseconds since 1970. */
export type ReplaysDuring = (orgId: string, from: number, to: number | undefined) => Promise<readonly string[]>;

type Queue = DeliveryFinder & EventFinder;

/**
 * Deliveries of an organisation, of the latest flow events first, page by page. A period is found by the positions of its
 * flow events, and by the replays under way in it, whose deliveries come last. Throws `InvalidRequest` if `from` is later
 * than `to`.
 */
export async function searchDeliveries(
  queue: Queue,
  { type, from, to, error, limit = 100, after, ...query }: DeliverySearch,
  replaysDuring: ReplaysDuring = () => Promise.resolve([]),
): Promise<FoundDeliveries> {
  requireTimeRange({ from, to });
  const isNamed = query.id !== undefined || query.eventId !== undefined || query.replay !== undefined;
  const replays = from === undefined || isNamed ? [] : await replaysDuring(query.orgId, from, to);
  const isSelected = ({ eventType, enqueuedAt, lastError, lastStatus }: DeliveryRecord) =>
    (type === undefined || matches(type, eventType)) &&
    (from === undefined || enqueuedAt >= from) &&
    (to === undefined || enqueuedAt <= to) &&
    (error === undefined || (lastError !== undefined && [lastError, String(lastStatus), 'any'].includes(error)));
  // An organisation's flow events are enqueued in the order of their positions.
  const isTooOld = ({ enqueuedAt, replay }: DeliveryRecord) =>
    from !== undefined && replay === undefined && enqueuedAt < from - skewMs;
  const before =
    to === undefined || isNamed
      ? undefined
      : await beginningOf(queue, query.orgId, { before: undefined, latest: to + skewMs });
  const isFiltered = [type, error, from, to].some((condition) => condition !== undefined);
  const parts = [undefined, ...replays];
  const read = async ({ limit: rows, after: cursor }: PageRequest<string>) => {
    const { replay, next } = placeOf(cursor, parts);
    const { deliveries: page, next: following } = await pageOf(queue, {
      ...query,
      limit: rows,
      after: next,
      replay,
      before: replay === undefined ? before : undefined,
    });
    const end = replay === undefined && !isNamed ? page.findIndex(isTooOld) : -1;
    const isOfLaterPart = (delivery: DeliveryRecord) => replay === undefined && parts.indexOf(delivery.replay) > 0;
    const found = (end < 0 ? page : page.slice(0, end))
      .filter((delivery) => !isOfLaterPart(delivery) && isSelected(delivery))
      .map((delivery) => ({ ...delivery, cursor: cursorIn(replay, delivery.cursor) }));
    if (end < 0 && following !== undefined) return { items: found, next: cursorIn(replay, following) };
    const nextReplay = parts[parts.indexOf(replay) + 1];
    return { items: found, next: nextReplay === undefined ? undefined : cursorIn(nextReplay) };
  };
  const { items, next } = await boundedPage(
    { limit, after },
    {
      read,
      examines: isFiltered ? 'many' : 'few',
      cursorOf: ({ cursor }: ListedDelivery) => cursor,
    },
  );
  return { deliveries: items, next };
}

/** Cursor in the part of a replay, whose ID is before it. */
const cursorIn = (replay: string | undefined, cursor = ''): string =>
  replay === undefined ? cursor : `${replay}/${cursor}`;

/** Throws `InvalidRequest` where the list has no such part. */
function placeOf(after: string | undefined, parts: readonly (string | undefined)[]) {
  const [, replay, next] = /^(?:([\da-f-]{36})\/)?(.*)$/s.exec(after ?? '') ?? [];
  if (!parts.includes(replay)) throw noCursor();
  return { replay, next: next || undefined };
}

/** The first page of a search, with the total. Ordered by the last attempt, the latest first, it is the only page. */
export async function countedDeliveries(
  queue: Queue,
  { order, limit = 100, ...search }: DeliverySearch & { order?: 'last-attempt' },
  replaysDuring?: ReplaysDuring,
): Promise<FoundDeliveries> {
  const { deliveries, next } = await searchDeliveries(queue, { ...search, limit: maxCounted }, replaysDuring);
  const total = { count: deliveries.length, isAll: next === undefined };
  if (order === undefined) {
    const page = deliveries.slice(0, limit);
    return { deliveries: page, next: page.length < deliveries.length ? page.at(-1)?.cursor : next, total };
  }
  const attemptedAt = ({ lastAttemptAt = 0 }: ListedDelivery) => lastAttemptAt;
  const latest = deliveries.toSorted((a, b) => attemptedAt(b) - attemptedAt(a)).slice(0, limit);
  return { deliveries: latest, next: undefined, total };
}

/**
 * Deliveries of an organisation, of the latest events first. `eventId`: the flow event's id of its producer: the
 * published id, or the UUID in the store of an appended event.
 */
async function pageOf(queue: DeliveryFinder & EventFinder, query: DeliveryQuery): Promise<ListedPage> {
  if (query.eventId === undefined) return queue.deliveries(query);
  return queue.deliveries({ ...query, eventId: await storeEventId(queue, query.orgId, query.eventId) });
}

/** The UUID that a flow event has in the store. */
export async function storeEventId(queue: EventFinder, orgId: string, eventId: string): Promise<string> {
  const published = publishedEventId(orgId, eventId);
  return (await queue.events({ orgId, eventId: published }))[0] ? published : canonicalUuid(eventId);
}
