import { recordedAt } from './codec.js';
import type { EventStore, LogReader, RecordedEvent, StreamReader } from './event-store.js';
import { readFirstIfExists, readLast } from './read-if-exists.js';

/** Undefined if the event at this position of the store no longer exists. */
export async function readEventAt(store: LogReader, position: bigint): Promise<RecordedEvent | undefined> {
  // A read starts after its position, which must be an event's.
  let before: bigint | undefined;
  for await (const event of store.readAll({ from: position, direction: 'backwards', limit: 1 }))
    before = event.position;
  for await (const event of store.readAll({ from: before, limit: 1 })) {
    if (event.position === position) return event;
  }
  return undefined;
}

/** EventStoreDB's `readAll` also returns deleted events until a scavenge; its streams do not. */
export async function stillStands(store: StreamReader, event: RecordedEvent): Promise<boolean> {
  const found = await readFirstIfExists(store.readStream(event.stream, { from: event.revision, limit: 1 }));
  return found?.id === event.id;
}

/** Works as `readEventAt`, but undefined too if the event's stream was deleted. */
export async function readStandingEventAt(store: EventStore, position: bigint): Promise<RecordedEvent | undefined> {
  const event = await readEventAt(store, position);
  return event && (await stillStands(store, event)) ? event : undefined;
}

/**
 * A stream at a moment, which is a position of the store or an instant: its events before the first one that is later,
 * by its position or by its recorded time. Empty if the stream began later. Throws `StreamNotFound` while iterating.
 */
export async function* readAsOf(
  store: EventStore,
  stream: string,
  moment: bigint | Date,
): AsyncGenerator<RecordedEvent> {
  for await (const event of store.readStream(stream)) {
    const isLater = typeof moment === 'bigint' ? event.position > moment : isAfter(event, moment);
    if (isLater) return;
    yield event;
  }
}

const isAfter = (event: RecordedEvent, instant: Date): boolean => Date.parse(recordedAt(event)) > instant.getTime();

/**
 * The last event at an instant (inclusive), by bisection: some 14 reads in a stream of 10,000. Where recorded times
 * fall (clocks differ), one of the events at which they pass the instant.
 */
export async function lastEventAsOf(
  store: StreamReader,
  stream: string,
  instant: Date,
): Promise<RecordedEvent | undefined> {
  const first = await readFirstIfExists(store.readStream(stream, { limit: 1 }));
  const last = await readLast(store, stream);
  if (!first || !last || isAfter(first, instant)) return undefined;
  if (!isAfter(last, instant)) return last;
  let found = first;
  let later = last.revision;
  while (later - found.revision > 1n) {
    const from = (found.revision + later) / 2n;
    const middle = await readFirstIfExists(store.readStream(stream, { from, limit: 1 }));
    if (!middle) return undefined; // its organisation was erased in the meantime
    if (isAfter(middle, instant)) later = middle.revision;
    else found = middle;
  }
  return found;
}
