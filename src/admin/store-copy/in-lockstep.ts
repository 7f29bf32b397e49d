import type { RecordedEvent } from '../../stores/event-store/event-store.js';

/** The events at the same place on both sides; undefined on a side that has ended. */
export type Pair = { readonly original: RecordedEvent | undefined; readonly copy: RecordedEvent | undefined };

/** Reads both sides event by event, until both have ended. */
export async function* inLockstep(
  source: AsyncIterable<RecordedEvent>,
  target: AsyncIterable<RecordedEvent>,
): AsyncGenerator<Pair> {
  const [originals, copies] = [source[Symbol.asyncIterator](), target[Symbol.asyncIterator]()];
  try {
    for (;;) {
      const [original, copy] = [await originals.next(), await copies.next()];
      if (original.done && copy.done) return;
      yield {
        original: original.done ? undefined : original.value,
        copy: copy.done ? undefined : copy.value,
      };
    }
  } finally {
    await Promise.all([originals.return?.(), copies.return?.()]);
  }
}
