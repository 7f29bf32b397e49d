import {
  type AllStreamResolvedEvent,
  BACKWARDS,
  END,
  FORWARDS,
  type ReadRevision,
  type ResolvedEvent,
  START,
  StreamDeletedError,
  StreamNotFoundError,
} from '@eventstore/db-client';
import { StoreUnusable } from '../../../../kernel/store-errors.js';
import { StreamNotFound } from '../../errors.js';
import type { AllRange, RecordedEvent, StreamRange } from '../../event-store.js';
import type { Connection } from '../connection/connection.js';
import { isErasureMark } from '../erasure-mark.js';
import { isNoSuchPosition } from '../failures.js';
import type { RetryBudget } from '../retry-budget.js';
import { type Arrival, openArrivals, pageSize, placeOf } from './arrivals.js';
import type { ChunkReader, StreamingCall } from './read-chunks.js';
import { matcher, toRecordedEvent } from './recorded-event.js';

export type Reader = {
  readonly stream: (name: string, range: StreamRange, budget?: RetryBudget) => AsyncGenerator<RecordedEvent>;
  /**
   * The last event of a stream that the server shows, possibly an erasure mark; undefined where metadata hide all of
   * them. Throws `StreamNotFound`.
   */
  readonly last: (name: string, budget: RetryBudget | undefined) => Promise<RecordedEvent | undefined>;
  /** Filtered by the server forwards, by the adapter backwards: the client has a filter for subscriptions only. */
  readonly all: (range: AllRange) => AsyncGenerator<RecordedEvent>;
  /** At most `count` of all events, EventStoreDB's own included, starting with the one at the position. */
  readonly onwards: (position: bigint, count: number) => Promise<readonly AllStreamResolvedEvent[]>;
  readonly head: () => Promise<bigint>;
};

type ClientRead = ReturnType<Connection['readAll']> | ReturnType<Connection['readStream']>;

/** Items read ahead wait in pages of this size; beyond that, the server waits. */
const buffer = { highWaterMark: pageSize };
const everything = Number.MAX_SAFE_INTEGER;

const asCall = (stream: ClientRead): StreamingCall => ({ stream, cancel: () => stream.cancel() });

export function reader(connection: Connection, chunks: ChunkReader): Reader {
  const common = { requiresLeader: true };

  async function* stream(name: string, range: StreamRange, budget?: RetryBudget): AsyncGenerator<RecordedEvent> {
    const { from, direction = 'forwards', limit = everything } = range;
    const forwards = direction === 'forwards';
    if (limit <= 0 || (!forwards && from !== undefined && from < 0n)) {
      const end = await last(name, budget);
      if (end && isErasureMark(end)) throw new StreamNotFound(name);
      return;
    }
    let next: ReadRevision = from ?? (forwards ? START : END);
    let left = Math.min(limit, everything);
    let found: 'nothing' | 'mark' | 'events' = 'nothing';
    const open = () =>
      asCall(
        connection.readStream(
          name,
          {
            ...common,
            direction: forwards ? FORWARDS : BACKWARDS,
            fromRevision: typeof next === 'bigint' && next < 0n ? START : next,
            // The server's view of a stream can begin with a mark, which counts towards the limit.
            maxCount: forwards ? Math.min(left + 1, everything) : left,
          },
          buffer,
        ),
      );
    try {
      for await (const chunk of chunks<ResolvedEvent>(open, budget)) {
        for (const { event } of chunk) {
          if (!event) continue; // only links whose target is gone have none, and links are not followed
          if (isErasureMark(event)) {
            if (found === 'nothing') found = 'mark';
            continue;
          }
          found = 'events';
          yield toRecordedEvent(event);
          next = event.revision + (forwards ? 1n : -1n);
          left -= 1;
          if (left === 0 || next < 0n) return;
        }
      }
    } catch (error) {
      throw isGone(error) ? new StreamNotFound(name) : error;
    }
    // An interrupted deletion: only the mark exists. A backward read from the middle may not have seen everything.
    if (found === 'mark' && (forwards || from === undefined)) throw new StreamNotFound(name);
  }

  async function last(name: string, budget: RetryBudget | undefined): Promise<RecordedEvent | undefined> {
    const open = () =>
      asCall(connection.readStream(name, { ...common, direction: BACKWARDS, fromRevision: END, maxCount: 1 }, buffer));
    try {
      for await (const [end] of chunks<ResolvedEvent>(open, budget)) return end?.event && toRecordedEvent(end.event);
    } catch (error) {
      throw isGone(error) ? new StreamNotFound(name) : error;
    }
    return undefined;
  }

  async function* all({ from, direction = 'forwards', limit = everything, filter }: AllRange) {
    const forwards = direction === 'forwards';
    const nothingWanted =
      limit <= 0 || filter?.categories.length === 0 || (!forwards && from !== undefined && from < 0n);
    if (nothingWanted) return;
    const passes = matcher(filter);
    let position = from;
    let left = limit;
    const open = () => {
      if (!forwards) return asCall(readAll(BACKWARDS, position === undefined ? END : placeOf(position)));
      if (!filter) return asCall(readAll(FORWARDS, placeOf(position ?? -1n)));
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
      return asCall(readAll(FORWARDS, placeOf(position), count));
    };
    try {
      for await (const chunk of chunks<AllStreamResolvedEvent>(open)) found.push(...chunk);
    } catch (error) {
      throw explained(error, position);
    }
    return found;
  }

  async function head(): Promise<bigint> {
    const open = () => asCall(readAll(BACKWARDS, END, 1));
    for await (const [last] of chunks<AllStreamResolvedEvent>(open)) return last?.event?.position.commit ?? -1n;
    return -1n;
  }

  return { stream, last, all, onwards, head };
}

const isGone = (error: unknown): boolean => error instanceof StreamNotFoundError || error instanceof StreamDeletedError;

function explained(error: unknown, position: bigint | undefined): unknown {
  if (!isNoSuchPosition(error)) return error;
  return new StoreUnusable(
    `nothing was ever written at position ${position} of this EventStoreDB: the position is another database's, or an older copy was put back`,
    { cause: error },
  );
}
