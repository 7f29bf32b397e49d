import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  categoryOf,
  type EventBatch,
  type EventFilter,
  type RecordedEvent,
  type SubscribeOptions,
} from '../event-store.js';
import type { DurablePosition } from './durable-position.js';
import { type PageReader, storeClosed } from './event-reads.js';
import { type Row, sizeOfRow, toEvent } from './schema.js';
import type { Wakeups } from './wakeups.js';

export type SubscriptionSource = {
  reader: PageReader;
  tails: Set<Tail>;
  wakeups: Wakeups;
  durable: Pick<DurablePosition, 'position' | 'passed'>;
  isOpen: () => boolean;
};

/** Each batch is read when it is requested. */
export function subscription(source: SubscriptionSource, options: SubscribeOptions): AsyncIterable<EventBatch> {
  // `end` is the store's end now, not at the first request.
  const from = options.from === 'end' && source.isOpen() ? source.reader.head() : options.from;
  return batches(source, { ...options, from: typeof from === 'bigint' ? from : -1n });
}

async function* batches(
  { reader, tails, wakeups, durable, isOpen }: SubscriptionSource,
  { from, filter, signal }: SubscribeOptions & { from: bigint },
): AsyncGenerator<EventBatch> {
  if (!isOpen()) throw storeClosed();
  await durable.passed(from); // the end may just have been appended
  let position = from;
  let caughtUp = false; // reported even where the last page was exactly the end
  const tail = new Tail(filter);
  const sleeper = wakeups.sleeper({ filter, signal });

  try {
    while (isOpen() && !signal?.aborted) {
      const count = sleeper.count();
      const end = await durable.position();
      if (!isOpen()) return;
      const lookup = { from: position, end, filter };
      // Others may have deleted events that the tail holds: it serves readers that keep up; history is read from the
      // file.
      const batch: EventBatch = (caughtUp && tailBatch(tail, lookup)) || nextBatch(reader, lookup);
      if (batch.caughtUp) tails.add(tail);
      if (batch.events.length > 0 || !caughtUp || batch.position > position) {
        yield batch;
        ({ position, caughtUp } = batch);
        if (!caughtUp) await nextTurn(); // a long history lets other work run
      } else {
        await sleeper.sleepSince(count);
      }
    }
  } finally {
    tails.delete(tail);
    sleeper.close();
  }
}

type Lookup = { from: bigint; end: bigint; filter: SubscribeOptions['filter'] };

function tailBatch(tail: Tail, { from, end }: Lookup): EventBatch | undefined {
  const events = tail.take(from, end);
  return events && { events, position: end > from ? end : from, caughtUp: true };
}

/** Events appended after the end was read come with the next batch. */
function nextBatch(reader: PageReader, { from, end, filter }: Lookup): EventBatch {
  const range = { from, upTo: end, direction: 'forwards', limit: Number.POSITIVE_INFINITY, filter } as const;
  const { events, complete } = reader.all(range);
  // A checkpoint beyond the end (of a restored copy) stays where it is.
  const position = complete && end > from ? end : (events.at(-1)?.position ?? from);
  return { events, position, caughtUp: complete };
}

const most = { events: 1_000, characters: 1_048_576 };

/** The events of one transaction: all between `after` and `position`, inclusive. */
export type Committed = {
  after: bigint;
  position: bigint;
  rows: readonly Row[];
  /** The transaction has deleted a stream. */
  deleted: boolean;
};

/**
 * Unread events of a subscription that keeps up, without gaps if every commit is added: reading from the file would
 * search its indexes after every commit. Taken events are dropped, to be collected while young.
 */
export class Tail {
  private rows: Row[] = [];
  private characters = 0;
  private after = -1n;
  private end = -1n;

  constructor(private readonly filter?: EventFilter) {}

  add({ after, position, rows, deleted }: Committed): void {
    if (deleted)
      this.beginAfter(position); // the deleted events may be in the tail
    else if (after !== this.end) this.beginAfter(after); // another connection has appended in between
    for (const row of deleted ? [] : rows) if (this.passesFilter(row)) this.hold(row);
    this.end = position;
    while (this.rows.length > most.events || this.characters > most.characters) this.dropOlderHalf();
  }

  /** The events of `(from, upTo]`, dropping all before; undefined unless the tail holds all of them. */
  take(from: bigint, upTo: bigint): readonly RecordedEvent[] | undefined {
    if (from < this.after || upTo > this.end) return undefined;
    return this.drop(this.countUpTo(upTo))
      .filter(([, , , position]) => position > from)
      .map(toEvent);
  }

  private passesFilter([, stream]: Row): boolean {
    return !this.filter || this.filter.categories.includes(categoryOf(stream));
  }

  private hold(row: Row): void {
    this.rows.push(row);
    this.characters += sizeOfRow(row);
  }

  private countUpTo(upTo: bigint): number {
    const beyond = this.rows.findIndex(([, , , position]) => position > upTo);
    return beyond === -1 ? this.rows.length : beyond;
  }

  private beginAfter(position: bigint): void {
    this.rows = [];
    this.characters = 0;
    this.after = position;
  }

  private dropOlderHalf(): void {
    this.drop(Math.ceil(this.rows.length / 2));
  }

  private drop(count: number): readonly Row[] {
    const dropped = this.rows.splice(0, count);
    this.characters -= dropped.reduce((sum, row) => sum + sizeOfRow(row), 0);
    this.after = dropped.at(-1)?.[3] ?? this.after;
    return dropped;
  }
}
