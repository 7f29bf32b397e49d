import { recordedAt } from './codec.js';
import type { EventStore, RecordedEvent } from './event-store.js';
import { readFirstIfExists } from './read-if-exists.js';

/** Throws `StreamNotFound` while iterating. */
export async function* readAsOfRevision(
  store: EventStore,
  stream: string,
  revision: bigint,
): AsyncGenerator<RecordedEvent> {
  for await (const event of store.readStream(stream)) {
    if (event.revision > revision) return;
    yield event;
  }
}

/**
 * The stream once the event at this position of the store had been appended; empty if it began later. Throws
 * `StreamNotFound` while iterating.
 */
export async function* readAsOfPosition(
  store: EventStore,
  stream: string,
  position: bigint,
): AsyncGenerator<RecordedEvent> {
  for await (const event of store.readStream(stream)) {
    if (event.position > position) return;
    yield event;
  }
}

/**
 * The events before the first one recorded after the instant; empty if the stream began later. Throws `StreamNotFound`
 * while iterating.
 */
export async function* readAsOfTime(store: EventStore, stream: string, instant: Date): AsyncGenerator<RecordedEvent> {
  for await (const event of store.readStream(stream)) {
    if (Date.parse(recordedAt(event)) > instant.getTime()) return;
    yield event;
  }
}

/**
 * The last event at an instant (inclusive), by bisection: some 14 reads in a stream of 10,000. Where recorded times
 * fall (clocks differ), one of the events at which they pass the instant.
 */
export async function lastEventAsOf(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  instant: Date,
): Promise<RecordedEvent | undefined> {
  const isLater = (event: RecordedEvent) => Date.parse(recordedAt(event)) > instant.getTime();
  const first = await readFirstIfExists(store.readStream(stream, { limit: 1 }));
  const last = await readFirstIfExists(store.readStream(stream, { direction: 'backwards', limit: 1 }));
  if (!first || !last || isLater(first)) return undefined;
  if (!isLater(last)) return last;
  let found = first;
  let later = last.revision;
  while (later - found.revision > 1n) {
    const from = (found.revision + later) / 2n;
    const middle = await readFirstIfExists(store.readStream(stream, { from, limit: 1 }));
    if (!middle) return undefined; // its organisation was erased in the meantime
    if (isLater(middle)) later = middle.revision;
    else found = middle;
  }
  return found;
}
