import { type FlowEvent, readFlowEvent } from '../../flows/flow-event.js';
import type { RecordedEvent } from '../../stores/event-store/event-store.js';
import { type FlowEventSources, locateFlowEvent, readLocated } from './locate-flow-event.js';

/** A flow event with its content, and where it is in the event store. */
export type ShownFlowEvent = {
  readonly event: FlowEvent;
  readonly place: Pick<RecordedEvent, 'stream' | 'revision' | 'position'>;
  /** The fan-out has gone by it. */
  readonly handedOver: boolean;
};

/**
 * A flow event by the id of its producer: see `locateFlowEvent`. Throws `FlowEventNotFound`, and `FlowEventDeleted` if
 * the event store no longer holds it.
 */
export async function showFlowEvent(sources: FlowEventSources, orgId: string, id: string): Promise<ShownFlowEvent> {
  const located = await locateFlowEvent(sources, orgId, id);
  const recorded = await readLocated(sources.store, located);
  const { stream, revision, position } = recorded;
  return { event: readFlowEvent(recorded), place: { stream, revision, position }, handedOver: located.handedOver };
}
