import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventBatch, SubscribeOptions } from '../event-store.js';
import type { DurableEnd } from './durable-end.js';
import { type PageReader, storeClosed } from './read-pages.js';
import { Tail } from './tail.js';
import type { Wakeups } from './wakeups.js';

export type SubscriptionSource = {
  readonly reader: PageReader;
  /** Those which are told of each commit. */
  readonly tails: Set<Tail>;
  readonly news: Wakeups;
  readonly durable: Pick<DurableEnd, 'position' | 'passed'>;
  readonly isOpen: () => boolean;
};

/** History page by page, then what is appended: each batch is read when it is asked for. */
export function subscription(source: SubscriptionSource, options: SubscribeOptions): AsyncIterable<EventBatch> {
  // `end` is where the store ends now, not when the first batch is asked for.
  const from = options.from === 'end' && source.isOpen() ? source.reader.head() : options.from;
  return batches(source, { ...options, from: typeof from === 'bigint' ? from : -1n });
}

async function* batches(
  { reader, tails, news, durable, isOpen }: SubscriptionSource,
  { from, filter, signal }: SubscribeOptions & { readonly from: bigint },
): AsyncGenerator<EventBatch> {
  if (!isOpen()) throw storeClosed();
  await durable.passed(from); // the end, where it begins there, may just have been appended
  let position = from;
  let caughtUp = false; // as told: it is told even where the last page was exactly the end
  const tail = new Tail(filter);
  const sleeper = news.sleeper({ filter, signal });

  try {
    while (isOpen() && !signal?.aborted) {
      const count = sleeper.count();
      const end = await durable.position();
      if (!isOpen()) return;
      const lookup = { from: position, end, filter };
      // Others may have deleted what the memory holds: it is for those who keep up, and history is read from the file.
      const batch: EventBatch = (caughtUp && tailBatch(tail, lookup)) || nextBatch(reader, lookup);
      if (batch.caughtUp) tails.add(tail);
      if (batch.events.length > 0 || !caughtUp || batch.position > position) {
        yield batch;
        ({ position, caughtUp } = batch);
        if (!caughtUp) await nextTurn(); // a long history leaves room for others
      } else {
        await sleeper.after(count);
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

/** What is appended after the end was looked up comes with the next batch, and is not passed over. */
function nextBatch(reader: PageReader, { from, end, filter }: Lookup): EventBatch {
  const range = { from, upTo: end, direction: 'forwards', limit: Number.POSITIVE_INFINITY, filter } as const;
  const { events, complete } = reader.all(range);
  // A checkpoint that lies beyond the end (of a restored copy, perhaps) stays where it is.
  const position = complete && end > from ? end : (events.at(-1)?.position ?? from);
  return { events, position, caughtUp: complete };
}
