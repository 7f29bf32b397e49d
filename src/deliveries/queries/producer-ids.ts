import { readFlowEvent } from '../../flows/flow-event.js';
import { inBatches } from '../../kernel/in-batches.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { readStandingEventAt } from '../../stores/event-store/read-at.js';
import type { ListedEvent } from '../queue/delivery-log.js';

/**
 * The events with the IDs of their producers. The queue forgets those of events without deliveries: they are read from
 * the event store; a deleted event gets its UUID in the store.
 */
export const withProducerIds = (
  store: EventStore,
  events: readonly ListedEvent[],
): Promise<readonly (ListedEvent & { readonly id: string })[]> =>
  inBatches(events, async (event) => ({ ...event, id: event.publishedId ?? (await recordedId(store, event)) }));

async function recordedId(store: EventStore, { eventId, position }: ListedEvent): Promise<string> {
  const recorded = await readStandingEventAt(store, position);
  if (recorded?.id !== eventId) return eventId;
  try {
    return readFlowEvent(recorded).id;
  } catch (error) {
    if (!(error instanceof EventUndecodable)) throw error;
    return eventId;
  }
}
