import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventBatch, SubscribeOptions } from '../event-store.js';
import { type PageReader, storeClosed } from './read-pages.js';
import type { Wakeups } from './wakeups.js';

/** While only other categories' events come, the position is told at most this often. */
const checkpointEveryMs = 10;

export type SubscriptionSource = {
  readonly reader: PageReader;
  readonly news: Wakeups;
  readonly isOpen: () => boolean;
};

/** History page by page, then what is appended: each batch is read when it is asked for. */
export function subscription(source: SubscriptionSource, options: SubscribeOptions): AsyncIterable<EventBatch> {
  // `end` is where the store ends now, not when the first batch is asked for.
  const from = options.from === 'end' && source.isOpen() ? source.reader.head() : options.from;
  return batches(source, { ...options, from: typeof from === 'bigint' ? from : -1n });
}

async function* batches(
  { reader, news, isOpen }: SubscriptionSource,
  { from, filter, signal }: SubscribeOptions & { readonly from: bigint },
): AsyncGenerator<EventBatch> {
  if (!isOpen()) throw storeClosed();
  let position = from;
  let caughtUp = false; // as told: it is told even where the last page was exactly the end
  let lastGivenAt = Number.NEGATIVE_INFINITY;

  while (isOpen() && !signal?.aborted) {
    const count = news.count();
    const batch = nextBatch(reader, position, filter);
    const moved = batch.position > position;
    const restMs = checkpointEveryMs - (performance.now() - lastGivenAt);
    if (batch.events.length > 0 || !caughtUp || (moved && restMs <= 0)) {
      yield batch;
      ({ position, caughtUp } = batch);
      lastGivenAt = performance.now();
      if (!caughtUp) await nextTurn(); // a long history leaves room for others
    } else {
      await news.after(count, { signal, ...(moved && { timeoutMs: restMs }) });
    }
  }
}

/** The end is looked up first: what is appended between the two look-ups comes with the next batch, and is not passed over. */
function nextBatch(reader: PageReader, from: bigint, filter: SubscribeOptions['filter']): EventBatch {
  const head = reader.head();
  const { events, complete } = reader.all({
    from,
    upTo: head,
    direction: 'forwards',
    limit: Number.POSITIVE_INFINITY,
    filter,
  });
  // A checkpoint that lies beyond the end (of a restored copy, perhaps) stays where it is.
  const position = complete && head > from ? head : (events.at(-1)?.position ?? from);
  return { events, position, caughtUp: complete };
}
