import { fanOutBeginningReader } from '../../deliveries/fan-out/fan-out-beginning.js';
import { beforeWaiting, partitionCount, readerOf } from '../../deliveries/fan-out/partitions.js';
import { streamOrganisations } from '../../deliveries/fan-out/stream-organisations.js';
import type { FlowEvent } from '../../flows/flow-event.js';
import type { EventFinder } from '../../queue/delivery-log.js';
import { forgottenReader, positionOf, type ReaderPositions, retentionReader } from '../../queue/leasing.js';
import { partitionOf } from '../../queue/policy/partition.js';
import { bucketOf } from '../../stores/event-store/bucket.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { stillStands } from '../../stores/event-store/read-at.js';
import { decoded, isOfItsStream, isOfType, recordedOf } from '../replays/past-flow-events.js';

export type FeedSources = {
  store: EventStore;
  queue: ReaderPositions & EventFinder;
};

/** `type` null: all. */
export type FeedQuery = { orgId: string; type: string | null };

/** A position that was looked at, in order: its event if it is one of the organisation, `deleted` if it was. */
export type Seen = { position: bigint; event?: FlowEvent; deleted?: true };

/**
 * Part of the history of an organisation that the queue lists: the flow events after `since` up to `upTo`. `deletedUpTo`: position up to
 * which there may have been more of them, which were deleted because of their age.
 */
export type Index = { since: bigint; upTo: bigint; deletedUpTo: bigint };

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
  { after, upTo, index }: { after: bigint; upTo: bigint; index: Index | undefined },
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
  for (let position = after; ; ) {
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
          if (!isOfType(query, row)) return { position: row.position };
          const recorded = await recordedOf(store, row);
          if (!recorded) return { position: row.position, deleted: true };
          return { position: row.position, event: decoded(recorded) };
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
    const event = decoded(recorded);
    const isOwn =
      event?.orgId === orgId &&
      isOfType(query, event) &&
      (await isOfItsStream(requireOwnStream(event, recorded))) &&
      (await stillStands(store, recorded));
    yield isOwn ? { position, event } : { position };
  }
  yield { position: upTo };
}

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const greater = (one: bigint, other: bigint): bigint => (one > other ? one : other);
