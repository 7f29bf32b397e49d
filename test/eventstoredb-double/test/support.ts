import { setTimeout as pause } from 'node:timers/promises';
import {
  type AllStreamSubscription,
  type AppendResult,
  type AppendToStreamOptions,
  EventStoreDBClient,
  jsonEvent,
  type StreamSubscription,
} from '@eventstore/db-client';
import { type EventStoreDouble, startEventStoreDouble } from '../src/start-double.js';

/** Resolves as soon as the condition holds; rejects after 60 s, naming what was waited for. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const endAt = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > endAt) throw new Error(`waited 60000 ms for ${what}`);
    await pause(5);
  }
}

export const event = (type: string) => jsonEvent({ type, data: {} });
export const events = (count: number) => Array.from({ length: count }, (_, i) => event(`e${i}`));

/** Credentials make the client take the unary append, which honours its deadline. */
export const unary = (deadline = 5_000) => ({ credentials: { username: 'admin', password: 'changeit' }, deadline });

export async function readTypes(client: EventStoreDBClient, stream: string): Promise<string[]> {
  const types: string[] = [];
  for await (const { event } of client.readStream(stream)) if (event) types.push(event.type);
  return types;
}

/** Error with which `work` failed; undefined when it succeeded. */
export const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error) => error,
  );

/** True if `work` is still under way after a moment. */
export const isPending = (work: Promise<unknown>) => Promise.race([work.then(() => false), pause(200, true)]);

/** Messages of a subscription by type; `(caughtUp)`, `(end)` and the names of errors among it. */
export function watch(subscription: StreamSubscription | AllStreamSubscription) {
  const log: string[] = [];
  const errors: unknown[] = [];
  subscription.on('data', ({ event }) => log.push(event?.type ?? 'nothing'));
  subscription.on('caughtUp', () => log.push('(caughtUp)'));
  subscription.on('end', () => log.push('(end)'));
  subscription.on('error', (error) => {
    errors.push(error);
    log.push(error.constructor.name);
  });
  const has = (entry: string) => until(() => log.includes(entry), entry);
  return { log, errors, has, failed: () => until(() => errors.length > 0, 'an error') };
}

export type DoubleForTest = {
  double: EventStoreDouble;
  client: EventStoreDBClient;
  connect: (url?: string, options?: string) => EventStoreDBClient;
  append: (
    stream: string,
    type: string,
    options?: AppendToStreamOptions,
    by?: EventStoreDBClient,
  ) => Promise<AppendResult>;
  /** Does this, before what was asked earlier, when the test is over. */
  afterwards: (close: () => Promise<unknown>) => void;
  close: () => Promise<void>;
};

/** A double with a client, both of which `close` ends. */
export async function startDoubleForTest(): Promise<DoubleForTest> {
  const opened: (() => Promise<unknown>)[] = [];
  const double = await startEventStoreDouble();
  opened.push(() => double.stop());
  const connect = (url = double.url, options = '') => {
    const connected = EventStoreDBClient.connectionString(`${url}${options}`);
    opened.push(() => connected.dispose());
    return connected;
  };
  const client = connect();
  return {
    double,
    client,
    connect,
    append: (stream, type, options = {}, by = client) => by.appendToStream(stream, event(type), options),
    afterwards: (close) => void opened.push(close),
    async close() {
      for (const close of opened.splice(0).reverse()) await close();
    },
  };
}
