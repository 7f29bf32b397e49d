import { fanOutBeginningReader } from '../../deliveries/fan-out/fan-out-beginning.js';
import { beforeWaiting, partitionCount, readerOf } from '../../deliveries/fan-out/partitions.js';
import { streamOrganisations } from '../../deliveries/fan-out/stream-organisations.js';
import { type FlowEvent, readFlowEvent } from '../../flows/flow-event.js';
import { selectsEvent } from '../../flows/types/subscription-types.js';
import type { EventFinder, KnownEvent } from '../../queue/delivery-log.js';
import { partitionOf } from '../../queue/policy/partition.js';
import { forgottenReader, positionOf, type ReaderPositions, retentionReader } from '../../queue/reader-positions.js';
import { bucketOf } from '../../stores/event-store/bucket.js';
import { recordedAt } from '../../stores/event-store/codec.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import { readStandingEventAt, stillStands } from '../../stores/event-store/read-at.js';

export type FeedSources = {
  store: EventStore;
  queue: ReaderPositions & EventFinder;
};

/** `type` null: all. */
export type FeedQuery = { orgId: string; type: string | null };

/**
 * A position that was looked at, in order. `isOwn`: of an event of the organisation. `event`: if it is of the type and can be decoded.
 * `deleted`: it was of the type.
 */
export type Seen = { position: bigint; isOwn?: true; recorded?: RecordedEvent; event?: FlowEvent; deleted?: true };

/**
 * Part of the history of an organisation that the queue lists: the flow events after `since` up to `upTo`. `deletedUpTo`: position up to
 * which there may have been more of them, which were deleted because of their age.
 */
export type Index = Listed & { deletedUpTo: bigint };

export type Listed = { since: bigint; upTo: bigint };

/** Undefined: the fan-out has not begun. */
export async function indexOf(queue: FeedSources['queue'], orgId: string): Promise<Index | undefined> {
  const count = await partitionCount(queue);
  const reader = readerOf(partitionOf(orgId, count), count);
  // Reading the events has those of the organisation written, and of no other one.
  const readers = [reader, fanOutBeginningReader, forgottenReader, retentionReader];
  const known = await queue.positions(readers, { unwritten: true });
  const checkpoint = known.get(reader);
  const beginning = known.get(fanOutBeginningReader);
  if (checkpoint === undefined || beginning === undefined) return undefined;
  const upTo = await beforeWaiting(queue, { reader, orgId, checkpoint });
  const since = greater(beginning, known.get(forgottenReader) ?? -1n);
  return { since, upTo, deletedUpTo: smaller(since, known.get(retentionReader) ?? -1n) };
}

/** Maximum by which recorded times may go back along positions; an event with more is found only without a period. */
export const maxSkewMs = 2 * 3_600_000;

const rowsAtOnce = 100;
/** Few, because one may have a megabyte. */
const readAtOnce = 8;

/**
 * The events after a position up to another one, in their order, and positions of others: from the queue where it lists those of the
 * organisation, else from the event store, which has those of all.
 */
export async function* flowEventsOf(
  { store, queue }: FeedSources,
  query: FeedQuery,
  { after, upTo, index }: Range & { index: Listed | undefined },
): AsyncGenerator<Seen> {
  let position = after;
  if (index && position < index.upTo) {
    if (position < index.since) yield* inStore(store, query, { after: position, upTo: index.since });
    position = greater(position, index.since);
    yield* inQueue({ store, queue }, query, { after: position, upTo: index.upTo });
    position = index.upTo;
  }
  if (position < upTo) yield* inStore(store, query, { after: position, upTo });
}

type Range = { after: bigint; upTo: bigint };

async function* inQueue({ store, queue }: FeedSources, query: FeedQuery, { after, upTo }: Range): AsyncGenerator<Seen> {
  const { orgId } = query;
  for (let position = after; position < upTo; ) {
    const rows = await queue.events({ orgId, after: position, upTo, limit: rowsAtOnce });
    const forgotten = (await positionOf(queue, forgottenReader)) ?? -1n;
    if (forgotten > position) {
      // It forgot some while they were read.
      yield* inStore(store, query, { after: position, upTo: smaller(forgotten, upTo) });
      position = smaller(forgotten, upTo);
      continue;
    }
    for (let start = 0; start < rows.length; start += readAtOnce) {
      const some = rows.slice(start, start + readAtOnce);
      yield* await Promise.all(
        some.map(async (row): Promise<Seen> => {
          const seen = { position: row.position, isOwn: true } as const;
          if (!isOfType(query, row)) return seen;
          const recorded = await recordedOf(store, row);
          if (!recorded) return { ...seen, deleted: true };
          const own = await unlessUndecodable(() => readFlowEvent(recorded));
          return { ...seen, recorded, event: own && isOfType(query, own) ? own : undefined }; // a row does not say if it is operational
        }),
      );
    }
    const last = rows.at(-1);
    if (!last || rows.length < rowsAtOnce) break;
    position = last.position;
  }
  yield { position: upTo };
}

async function* inStore(store: EventStore, query: FeedQuery, { after, upTo }: Range): AsyncGenerator<Seen> {
  const { orgId } = query;
  const requireOwnStream = streamOrganisations(store);
  const filter = { categories: ['flow'], buckets: new Set([bucketOf(orgId)]) };
  const range = after < 0n ? { filter } : { from: after, filter };
  for await (const recorded of store.readAll(range)) {
    const { position } = recorded;
    if (position > upTo) break;
    const own = await unlessUndecodable(async () => {
      const event = readFlowEvent(recorded);
      if (event.orgId !== orgId) return undefined;
      await requireOwnStream(event, recorded);
      return event;
    });
    const event = own && isOfType(query, own) ? own : undefined;
    const isOwn = own && (!event || (await stillStands(store, recorded)));
    yield isOwn ? { position, isOwn, recorded, event } : { position };
  }
  yield { position: upTo };
}

/** Position of an event that was recorded before a period, by binary search among those that the queue lists; -1n: none. */
export async function positionBefore(
  { store, queue }: FeedSources,
  { orgId, from }: { orgId: string; from: string | null },
  index: Listed | undefined,
): Promise<bigint> {
  if (from === null || !index) return -1n;
  const earliest = Date.parse(from) - maxSkewMs;
  let { since: low, upTo: high } = index;
  let beginning = -1n;
  while (low < high) {
    const middle = low + (high - low) / 2n;
    const [known] = await queue.events({ orgId, after: middle, upTo: high, limit: 1 });
    const recorded = known && (await recordedOf(store, known));
    if (recorded && Date.parse(recordedAt(recorded)) < earliest) {
      beginning = recorded.position;
      low = recorded.position;
    } else {
      high = middle;
    }
  }
  return beginning;
}

/** Undefined if a restored store assigned the position again. */
async function recordedOf(store: EventStore, { position, eventId }: KnownEvent): Promise<RecordedEvent | undefined> {
  const recorded = await readStandingEventAt(store, position);
  return recorded?.id === eventId ? recorded : undefined;
}

const isOfType = ({ type }: Pick<FeedQuery, 'type'>, event: Pick<FlowEvent, 'type' | 'isOperational'>): boolean =>
  type === null || selectsEvent(type, event);

/** Undefined if the event was set aside. */
async function unlessUndecodable<Result>(read: () => Result | Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof EventUndecodable)) throw error;
    return undefined;
  }
}

export const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const greater = (one: bigint, other: bigint): bigint => (one > other ? one : other);
