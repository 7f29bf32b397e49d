import { randomUUID } from 'node:crypto';
import type {
  EventBatch,
  EventStore,
  JsonObject,
  NewEvent,
  RecordedEvent,
} from '../../../src/stores/event-store/event-store.js';

export type ContractContext = {
  /** The store that the tests share; none of them closes it. */
  store: () => EventStore;
  /** The same store, opened once more: another client. */
  openAnother: () => Promise<EventStore>;
};

export const newEvent = (data: JsonObject = {}, metadata: JsonObject = {}): NewEvent => ({
  id: randomUUID(),
  type: 'SomethingHappened',
  data,
  metadata,
});

export const newEvents = (count: number): readonly NewEvent[] =>
  Array.from({ length: count }, (_, number) => newEvent({ number }));

/** A category that nothing else in the store has. */
export const newCategory = (): string => `contract${randomUUID().replaceAll('-', '')}`;

/** A stream without other writers. */
export const newStream = (category = newCategory()): string => `${category}-${randomUUID()}`;

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

export const idsOf = (events: readonly { id: string }[]): readonly string[] => events.map(({ id }) => id);
export const revisionsOf = (events: readonly RecordedEvent[]): readonly bigint[] =>
  events.map(({ revision }) => revision);

/** Collects the events of a subscription until `enough`. */
export async function collectUntil(
  batches: AsyncIterable<EventBatch>,
  enough: (events: readonly RecordedEvent[], batch: EventBatch) => boolean,
): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const batch of batches) {
    events.push(...batch.events);
    if (enough(events, batch)) return events;
  }
  throw new Error(`the subscription ended after ${events.length} events`);
}
