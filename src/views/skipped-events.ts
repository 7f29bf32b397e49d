import { z } from 'zod';
import { InvalidRequest } from '../kernel/domain-error.js';
import { uuidV5 } from '../kernel/uuid.js';
import { type Cause, codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';
import { NoSuchPosition } from '../stores/event-store/errors.js';
import {
  categoryOf,
  type EventStore,
  type RecordedEvent,
  type StreamReader,
} from '../stores/event-store/event-store.js';
import { readEventAt } from '../stores/event-store/read-at.js';
import { readIfExists } from '../stores/event-store/read-if-exists.js';
import type { Projection } from './projection.js';

const ProjectionEventSkipped = defineEvent({
  category: 'service',
  type: 'ProjectionEventSkipped',
  version: 1,
  schema: z.object({
    projection: z.string(),
    /** A copy of the store keeps the ID, and has other positions. */
    eventId: z.string(),
    eventType: z.string(),
    stream: z.string(),
    revision: z.string(),
    position: z.string(),
    why: z.string(),
  }),
});

export type SkippedEvent = EventOf<typeof ProjectionEventSkipped>['data'];

const codec = codecFor([ProjectionEventSkipped]);
const stream = 'service-projections';

/** A projection skips an event once, however often it is requested. */
const idOf = uuidV5('6f1c0b0e-2d55-4c39-9a53-0f6c6f2f1a7b');

/** IDs of the events that the live build and every rebuild leave out. */
export const skippedEvents = async (store: StreamReader, projection: Projection): Promise<ReadonlySet<string>> =>
  new Set((await listSkipped(store, projection)).map(({ eventId }) => eventId));

/** Lists events in the order of their recording. */
export async function listSkipped(store: StreamReader, { name }: Projection): Promise<readonly SkippedEvent[]> {
  const skipped: SkippedEvent[] = [];
  for await (const recorded of readIfExists(store.readStream(stream))) {
    const { data } = codec.decode(recorded);
    if (data.projection === name) skipped.push(data);
  }
  return skipped;
}

export type SkipEvent = {
  position: bigint;
  /** Reason for readers of the history. */
  why: string;
};

/**
 * A view that stopped before the event continues at its next retry; one that has handled it keeps the result until it
 * is rebuilt. Throws `InvalidRequest` where the projection does not handle the event.
 */
export async function skipEvent(
  store: EventStore,
  { name, on }: Projection,
  { position, why }: SkipEvent,
  { cause, now }: { cause: Cause; now: Date },
): Promise<SkippedEvent> {
  const event = await eventAt(store, position);
  if (!event) throw new InvalidRequest(`there is no event at position ${position}`);
  if (!on[categoryOf(event.stream)]?.[event.type]) {
    throw new InvalidRequest(`the event at position ${position} is a ${event.type}: ${name} does not handle it`);
  }
  const data: SkippedEvent = {
    projection: name,
    eventId: event.id,
    eventType: event.type,
    stream: event.stream,
    revision: `${event.revision}`,
    position: `${position}`,
    why,
  };
  const skip = codec.encode({ type: 'ProjectionEventSkipped', data }, cause, now);
  await store.append(stream, [{ ...skip, id: idOf(`${name}/${event.id}`) }]);
  return data;
}

/** An operator's position may be none of the store's. */
async function eventAt(store: EventStore, position: bigint): Promise<RecordedEvent | undefined> {
  try {
    return await readEventAt(store, position);
  } catch (error) {
    if (error instanceof NoSuchPosition) return undefined;
    throw error;
  }
}
