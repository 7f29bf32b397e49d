import { recordedAt } from './codec.js';
import type { EventStore, RecordedEvent } from './event-store.js';
import { readFirstIfExists } from './read-if-exists.js';

/** A stream as it was once the event at `revision` had been appended. Throws `StreamNotFound` while iterating. */
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
 * A stream as it was once the event at this position of the store had been appended. Throws `StreamNotFound` while
 * iterating; a stream that began later is empty.
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
 * A stream as it was at an instant (inclusive): its events before the first one that was recorded later. Throws
 * `StreamNotFound` while iterating; a stream that began later is empty.
 */
export async function* readAsOfTime(store: EventStore, stream: string, instant: Date): AsyncGenerator<RecordedEvent> {
  for await (const event of store.readStream(stream)) {
    if (Date.parse(recordedAt(event)) > instant.getTime()) return;
    yield event;
  }
}

/**
 * The last event of a stream as it was at an instant (inclusive), by bisection: some 14 reads of one event in a stream of 10,000.
 * Undefined where the stream began later or does not exist. Where times of the stream fall, because the clocks of instances
 * differ, it is one of the events at which the time passes the instant.
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
