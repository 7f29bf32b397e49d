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
