import type { FindErasure } from '../../src/audit/seals/check-seal.js';
import { StreamNotFound } from '../../src/stores/event-store/errors.js';
import { categoryOf, type EventStore, type RecordedEvent } from '../../src/stores/event-store/event-store.js';

/** Gives events as a store would that holds them: positions and revisions are what the events say. */
export const memoryStore = (
  events: readonly RecordedEvent[],
): Pick<EventStore, 'streamNames' | 'unexplainedEvents' | 'readStream' | 'head'> => ({
  async *streamNames(categories) {
    for (const { stream } of events) if (categories.includes(categoryOf(stream))) yield stream;
  },
  async *unexplainedEvents() {},
  async *readStream(stream) {
    const found = events.filter((event) => event.stream === stream);
    if (found.length === 0) throw new StreamNotFound(stream);
    yield* found;
  },
  head: async () => events.reduce((head, { position }) => (position > head ? position : head), -1n),
});

/** Store in which nothing was ever erased. */
export const noErasures: FindErasure = async () => undefined;
