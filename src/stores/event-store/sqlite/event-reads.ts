import { setImmediate as nextTurn } from 'node:timers/promises';
import { StreamNotFound } from '../errors.js';
import type { AllRange, EventStore, RecordedEvent, StreamRange } from '../event-store.js';
import type { DurablePosition } from './durable-position.js';
import type { PageReader } from './read-pages.js';

const maxInteger = 2n ** 63n - 1n;

export type EventReads = {
  readonly reader: PageReader;
  readonly durable: DurablePosition;
  readonly assertOpen: () => void;
};

/** Every event returned is durable. */
export function eventReads({ reader, durable, assertOpen }: EventReads): Pick<EventStore, 'readStream' | 'readAll'> {
  async function* readStream(stream: string, range: StreamRange = {}): AsyncGenerator<RecordedEvent> {
    const { direction = 'forwards', limit = Number.POSITIVE_INFINITY } = range;
    assertOpen();
    const id = reader.streamId(stream);
    if (id === undefined) throw new StreamNotFound(stream);
    let from = range.from ?? (direction === 'forwards' ? 0n : maxInteger);
    let isFirstPage = true;
    yield* readPages(limit, (left) => {
      if (!isFirstPage && reader.streamId(stream) !== id) return { events: [], complete: true }; // it has been deleted meanwhile
      isFirstPage = false;
      const page = reader.stream({ stream: id, from, direction, limit: left });
      const last = page.events.at(-1);
      if (last) from = direction === 'forwards' ? last.revision + 1n : last.revision - 1n;
      return page;
    });
  }

  async function* readAll(range: AllRange = {}): AsyncGenerator<RecordedEvent> {
    const { direction = 'forwards', limit = Number.POSITIVE_INFINITY, filter } = range;
    let from = range.from ?? (direction === 'forwards' ? -1n : maxInteger);
    yield* readPages(limit, (left) => {
      const page = reader.all({ from, upTo: maxInteger, direction, limit: left, filter });
      from = page.events.at(-1)?.position ?? from;
      return page;
    });
  }

  async function* readPages(
    limit: number,
    nextPage: (limit: number) => { readonly events: readonly RecordedEvent[]; readonly complete: boolean },
  ): AsyncGenerator<RecordedEvent> {
    for (let left = limit; left > 0; ) {
      assertOpen();
      const { events, complete } = nextPage(left);
      // A decision may be answered from these events: they have to survive a power loss.
      for (const event of [events[0], events.at(-1)]) if (event) await durable.passed(event.position);
      yield* events;
      if (complete) return;
      left -= events.length;
      await nextTurn(); // a long read lets other work run
    }
  }

  return { readStream, readAll };
}
