import type { EventStore, RecordedEvent } from './event-store.js';
import { readFirstIfExists } from './read-if-exists.js';

/** The event at a position that the store has returned; undefined where it no longer exists. */
export async function readEventAt(
  store: Pick<EventStore, 'readAll'>,
  position: bigint,
): Promise<RecordedEvent | undefined> {
  // A read starts after its position, and that must be the position of an event.
  let before: bigint | undefined;
  for await (const event of store.readAll({ from: position, direction: 'backwards', limit: 1 }))
    before = event.position;
  for await (const event of store.readAll({ ...(before !== undefined && { from: before }), limit: 1 })) {
    if (event.position === position) return event;
  }
  return undefined;
}

/**
 * Whether the stream of an event found by `readAll` still has it: there, EventStoreDB also returns deleted events,
 * until a scavenge.
 */
export async function stillStands(store: Pick<EventStore, 'readStream'>, event: RecordedEvent): Promise<boolean> {
  const found = await readFirstIfExists(store.readStream(event.stream, { from: event.revision, limit: 1 }));
  return found?.id === event.id;
}

/** As `readEventAt`, but undefined too where the event has been deleted with its stream. */
export async function readStandingEventAt(store: EventStore, position: bigint): Promise<RecordedEvent | undefined> {
  const event = await readEventAt(store, position);
  return event && (await stillStands(store, event)) ? event : undefined;
}
