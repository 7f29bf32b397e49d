import type { EventStore, RecordedEvent } from './event-store.js';
import { readFirstIfExists } from './read-if-exists.js';

/** Undefined if the event at this position of the store no longer exists. */
export async function readEventAt(
  store: Pick<EventStore, 'readAll'>,
  position: bigint,
): Promise<RecordedEvent | undefined> {
  // A read starts after its position, which must be an event's.
  let before: bigint | undefined;
  for await (const event of store.readAll({ from: position, direction: 'backwards', limit: 1 }))
    before = event.position;
  for await (const event of store.readAll({ ...(before !== undefined && { from: before }), limit: 1 })) {
    if (event.position === position) return event;
  }
  return undefined;
}

/** EventStoreDB's `readAll` also returns deleted events until a scavenge; its streams do not. */
export async function stillStands(store: Pick<EventStore, 'readStream'>, event: RecordedEvent): Promise<boolean> {
  const found = await readFirstIfExists(store.readStream(event.stream, { from: event.revision, limit: 1 }));
  return found?.id === event.id;
}

/** As `readEventAt`, but undefined too if the event's stream was deleted. */
export async function readStandingEventAt(store: EventStore, position: bigint): Promise<RecordedEvent | undefined> {
  const event = await readEventAt(store, position);
  return event && (await stillStands(store, event)) ? event : undefined;
}
