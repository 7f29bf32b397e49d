import { randomUUID } from 'node:crypto';
import { EventStoreDBClient } from '@eventstore/db-client';
import { StreamNotFound } from '../../../../src/stores/event-store/errors.js';
import type { NewEvent, RecordedEvent } from '../../../../src/stores/event-store/event-store.js';
import {
  type EventStoreDb,
  type EventStoreDbOptions,
  openEventStoreDb,
} from '../../../../src/stores/event-store/eventstoredb/eventstoredb-event-store.js';
import {
  type DoubleOptions,
  type EventStoreDouble,
  startEventStoreDouble,
} from '../../../eventstoredb-double/src/start-double.js';

/** Timing of calls that succeed, on a slow machine too. */
export const patient = { callMs: 1_000, totalMs: 10_000, quietMs: 50 };
/** Timing of calls that fail. */
export const impatient = { callMs: 300, totalMs: 1_500, quietMs: 50 };

export type StoreOnDouble = {
  double: EventStoreDouble;
  store: EventStoreDb;
  /** A bare client of the same server. */
  client: EventStoreDBClient;
  /** Log of the store. */
  log: readonly string[];
  /** Opens another store on the same server, or on another. */
  open: (options?: Partial<EventStoreDbOptions>) => EventStoreDb;
  startAnother: () => Promise<EventStoreDouble>;
  close: () => Promise<void>;
};

export async function storeOnDouble(timing = patient, options: DoubleOptions = {}): Promise<StoreOnDouble> {
  const double = await startEventStoreDouble(options);
  const client = EventStoreDBClient.connectionString(double.url);
  const closings: (() => Promise<void>)[] = [() => double.stop(), () => client.dispose()];
  const lines: string[] = [];
  const add = (...[, text]: unknown[]) => void lines.push(String(text));
  const log = { warn: add, info: (text: unknown) => void lines.push(String(text)) };
  const open = (changes: Partial<EventStoreDbOptions> = {}) => {
    const store = openEventStoreDb({ url: double.url, log, timing, ...changes });
    closings.push(() => store.close());
    return store;
  };
  return {
    double,
    client,
    store: open(),
    log: lines,
    open,
    async startAnother() {
      const another = await startEventStoreDouble();
      closings.push(() => another.stop());
      return another;
    },
    async close() {
      await double.behave();
      for (const close of closings.toReversed()) await close();
    },
  };
}

export const newEvent = (data: NewEvent['data'] = {}): NewEvent => ({
  id: randomUUID(),
  type: 'SomethingHappened',
  data,
  metadata: {},
});

export const newEvents = (count: number): readonly NewEvent[] =>
  Array.from({ length: count }, (_, number) => newEvent({ number }));

export const newStream = (category = 'test'): string => `${category}-${randomUUID()}`;

export const idsOf = (events: readonly { id: string }[]): readonly string[] => events.map(({ id }) => id);

/** The events of a stream; none where it does not exist. */
export async function eventsOf(store: EventStoreDb, stream: string): Promise<readonly RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  try {
    for await (const event of store.readStream(stream)) events.push(event);
  } catch (error) {
    if (!(error instanceof StreamNotFound)) throw error;
  }
  return events;
}

/** All that the double holds, hidden or not, as text, by stream. */
export const textsOf = (double: EventStoreDouble) =>
  double.everyEvent().map(({ stream, type, data, metadata }) => ({
    stream,
    text: [type, Buffer.from(data), Buffer.from(metadata)].join(' '),
  }));

/** Milliseconds that the work takes, whatever comes of it. */
export async function durationOf(work: Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work.catch(() => undefined); // what it rejects with is asked elsewhere
  return performance.now() - startedAt;
}

/** `<type> <revision>` of each event that the server holds of the stream, hidden or not. */
export const heldBy = (double: EventStoreDouble, stream: string): readonly string[] =>
  double
    .everyEvent()
    .filter((event) => event.stream === stream)
    .map(({ type, revision }) => `${type} ${revision}`);

/** The same after a scavenge. */
export function leftAfterScavenge(double: EventStoreDouble, stream: string): readonly string[] {
  double.scavenge();
  return heldBy(double, stream);
}
