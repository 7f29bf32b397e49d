import { recordedAt } from './codec.js';
import type { EventStore, RecordedEvent } from './event-store.js';

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
