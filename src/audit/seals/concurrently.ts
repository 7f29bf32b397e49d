import { setImmediate as nextTurn } from 'node:timers/promises';

/** Hides the latency of EventStoreDB. */
const maxConcurrentReads = 16;

/** Results in the order of the items, in constant memory. */
export async function* concurrently<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  let batch: Promise<Result>[] = [];
  for await (const item of items) {
    batch.push(work(item));
    if (batch.length < maxConcurrentReads) continue;
    yield* await Promise.all(batch);
    batch = [];
    await nextTurn(); // the embedded store answers synchronously: let other work run
  }
  yield* await Promise.all(batch);
}
