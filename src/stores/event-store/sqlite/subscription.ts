import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventBatch, SubscribeOptions } from '../event-store.js';
import type { DurablePosition } from './durable-position.js';
import { type PageReader, storeClosed } from './read-pages.js';
import { Tail } from './tail.js';
import type { Wakeups } from './wakeups.js';

export type SubscriptionSource = {
  readonly reader: PageReader;
  readonly tails: Set<Tail>;
  readonly wakeups: Wakeups;
  readonly durable: Pick<DurablePosition, 'position' | 'passed'>;
  readonly isOpen: () => boolean;
};

/** Each batch is read when it is requested. */
export function subscription(source: SubscriptionSource, options: SubscribeOptions): AsyncIterable<EventBatch> {
  // `end` is the store's end now, not at the first request.
  const from = options.from === 'end' && source.isOpen() ? source.reader.head() : options.from;
  return batches(source, { ...options, from: typeof from === 'bigint' ? from : -1n });
}

async function* batches(
  { reader, tails, wakeups, durable, isOpen }: SubscriptionSource,
  { from, filter, signal }: SubscribeOptions & { readonly from: bigint },
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

type Lookup = { readonly from: bigint; readonly end: bigint; readonly filter: SubscribeOptions['filter'] };

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
