import { type AllStreamResolvedEvent, BACKWARDS, END, FORWARDS } from '@eventstore/db-client';
import { NoSuchPosition } from '../../errors.js';
import type { AllRange, RecordedEvent } from '../../event-store.js';
import type { Connection } from '../connection/connection.js';
import { isNoSuchPosition } from '../failures.js';
import { type Arrival, openArrivals, placeOf } from './arrivals.js';
import { asCall, buffer, type ChunkReader, common, everything } from './read-chunks.js';
import { eventPredicate, toRecordedEvent } from './recorded-event.js';

export type AllReader = {
  /** Filtered by the server forwards, by the adapter backwards: the client filters subscriptions only. */
  all: (range: AllRange) => AsyncGenerator<RecordedEvent>;
  /** Includes EventStoreDB's own events and the one at the position. */
  onwards: (position: bigint, count: number) => Promise<readonly AllStreamResolvedEvent[]>;
  head: () => Promise<bigint>;
};

export function allReader(connection: Connection, chunks: ChunkReader): AllReader {
  async function* all({ from, direction = 'forwards', limit = everything, filter }: AllRange) {
    const forwards = direction === 'forwards';
    const selectsNothing =
      limit <= 0 || filter?.categories.length === 0 || (!forwards && from !== undefined && from < 0n);
    if (selectsNothing) return;
    const passes = eventPredicate(filter);
    let position = from;
    let left = limit;
    const open = () => {
      if (!forwards) return asCall(readAll(BACKWARDS, position === undefined ? END : placeOf(position)), 'read $all');
      if (!filter) return asCall(readAll(FORWARDS, placeOf(position ?? -1n)), 'read $all');
      return openArrivals(connection, { from: position ?? -1n, filter });
    };
    // A subscription does not report an invalid start position.
    if (forwards && filter && from !== undefined) await onwards(from, 1);
    try {
      for await (const chunk of chunks<Arrival>(open)) {
        for (const arrival of chunk) {
          if ('mark' in arrival) {
            if (arrival.mark === 'caught-up') return;
            continue;
          }
          const { event } = arrival;
          if (!event || event.position.commit === position) continue; // a forward read includes its start position
          position = event.position.commit;
          if (!passes(event)) continue;
          yield toRecordedEvent(event);
          left -= 1;
          if (left === 0) return;
        }
      }
    } catch (error) {
      throw explained(error, from);
    }
  }

  const readAll = (
    direction: typeof FORWARDS | typeof BACKWARDS,
    fromPosition: ReturnType<typeof placeOf> | typeof END,
    maxCount = everything,
  ) => connection.readAll({ ...common, direction, fromPosition, maxCount }, buffer);

  async function onwards(position: bigint, count: number): Promise<readonly AllStreamResolvedEvent[]> {
    let found: AllStreamResolvedEvent[] = [];
    const open = () => {
      found = [];
      return asCall(readAll(FORWARDS, placeOf(position), count), 'read $all');
    };
    try {
      for await (const chunk of chunks<AllStreamResolvedEvent>(open)) found.push(...chunk);
    } catch (error) {
      throw explained(error, position);
    }
    return found;
  }

  async function head(): Promise<bigint> {
    const open = () => asCall(readAll(BACKWARDS, END, 1), 'read $all');
    for await (const [last] of chunks<AllStreamResolvedEvent>(open)) return last?.event?.position.commit ?? -1n;
    return -1n;
  }

  return { all, onwards, head };
}

/** A timer may be that late. */
const sharedMs = 50;

/** Subscriptions at rest look ahead from the same position at the same time: they share a read that has just begun. */
export function sharedByPlace(onwards: AllReader['onwards']): AllReader['onwards'] {
  const begun = new Map<string, ReturnType<typeof onwards>>();
  return (position, count) => {
    const place = `${position} ${count}`;
    const known = begun.get(place);
    if (known) return known;
    const read = onwards(position, count);
    begun.set(place, read);
    setTimeout(() => begun.delete(place), sharedMs).unref();
    return read;
  };
}

function explained(error: unknown, position: bigint | undefined): unknown {
  if (!isNoSuchPosition(error)) return error;
  return new NoSuchPosition(
    `nothing was ever written at position ${position} of this EventStoreDB: the position is another database's, or an older copy was put back`,
    { cause: error },
  );
}
