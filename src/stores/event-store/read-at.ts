import { StreamNotFound } from './errors.js';
import type { EventStore, RecordedEvent } from './event-store.js';

/** The event at a position that the store has given; undefined where there is none any more. */
export async function readEventAt(store: EventStore, position: bigint): Promise<RecordedEvent | undefined> {
  // A read begins after the position that it is given, and that has to be one of an event.
  let before: bigint | undefined;
  for await (const event of store.readAll({ from: position, direction: 'backwards', limit: 1 }))
    before = event.position;
  for await (const event of store.readAll({ ...(before !== undefined && { from: before }), limit: 1 })) {
    if (event.position === position) return event;
  }
  return undefined;
}

/**
 * Whether its stream still has an event that was found among all events: there, EventStoreDB shows what has been deleted too,
 * until it is scavenged.
 */
export async function stillStands(store: Pick<EventStore, 'readStream'>, event: RecordedEvent): Promise<boolean> {
  try {
    for await (const { id } of store.readStream(event.stream, { from: event.revision, limit: 1 }))
      return id === event.id;
  } catch (error) {
    if (!(error instanceof StreamNotFound)) throw error;
  }
  return false;
}

/** As `readEventAt`, but undefined too where the event has been deleted with its stream. */
export async function readStandingEventAt(store: EventStore, position: bigint): Promise<RecordedEvent | undefined> {
  const event = await readEventAt(store, position);
  return event && (await stillStands(store, event)) ? event : undefined;
}
