import { type FlowEvent, flowStream, readFlowEvent } from '../../flows/flow-event.js';
import { publishedEventId } from '../../flows/publish-flow-event.js';
import { DomainError } from '../../kernel/domain-error.js';
import { canonicalUuid } from '../../kernel/input/texts.js';
import type { EventFinder, KnownEvent } from '../../queue/delivery-log.js';
import { forgottenReader, positionOf, type ReaderPositions } from '../../queue/reader-positions.js';
import type { EventStore, JsonObject, RecordedEvent } from '../../stores/event-store/event-store.js';
import { readStandingEventAt } from '../../stores/event-store/read-at.js';
import { readIfExists } from '../../stores/event-store/read-if-exists.js';
import { fanOutBeginningReader } from '../fan-out/fan-out-beginning.js';
import { handedOverUpTo } from '../fan-out/partitions.js';

/** Neither the queue nor the store knows the flow event. */
class FlowEventNotFound extends DomainError {
  readonly code = 'flow_event_not_found';

  constructor(orgId: string, id: string) {
    super(
      `${orgId} has no flow event '${id}': the delivery queue knows no event with this published id or UUID ` +
        '(PUBLISH_MEMORY), and no flow has this name. An event that was published with a flowId is found once the fan-out ' +
        'has processed it',
    );
  }
}

/** The flow event was handed over; its stream has been deleted since. */
export class FlowEventDeleted extends DomainError {
  readonly code = 'flow_event_deleted';

  constructor(orgId: string, id: string) {
    super(
      `the flow event '${id}' of ${orgId} has been deleted, after FLOW_RETENTION or by an operator of the event store`,
    );
  }
}

/** A flow event and where it stands. `isKnown`: the queue has handed it over, and remembers it. */
export type LocatedFlowEvent = KnownEvent & { isKnown: boolean };

/** Fan-out of the event: `not-yet`, or `never` for an event from before the fan-out began. */
export type HandOver = 'done' | 'not-yet' | 'never';

export type FlowEventSources = {
  store: EventStore;
  queue: EventFinder;
};

type ShownSources = { store: EventStore; queue: ReaderPositions & EventFinder };

/**
 * Finds a flow event of an organisation by the id of its producer: the published id, or the UUID in the store of an
 * appended event. Throws `FlowEventNotFound`.
 */
export async function locateFlowEvent(
  { store, queue }: FlowEventSources,
  orgId: string,
  id: string,
): Promise<LocatedFlowEvent> {
  const published = publishedEventId(orgId, id);
  const known =
    (await queue.events({ orgId, eventId: published }))[0] ??
    (await queue.events({ orgId, eventId: canonicalUuid(id) }))[0];
  if (known) return { ...known, isKnown: true };
  const recorded = await recordedIn(store, flowStream(orgId, id), published);
  if (!recorded) throw new FlowEventNotFound(orgId, id);
  const { type, position } = recorded;
  return { eventId: published, orgId, type, position, isKnown: false };
}

/** Also right after PUBLISH_MEMORY, when the queue has forgotten the event. */
export async function handOverOf(
  queue: ReaderPositions,
  { orgId, position, isKnown }: LocatedFlowEvent,
): Promise<HandOver> {
  const reached = await handedOverUpTo(queue, orgId);
  if (reached === undefined || reached < position) return 'not-yet';
  if (isKnown) return 'done';
  const beginning = await positionOf(queue, fanOutBeginningReader);
  if (beginning !== undefined && position <= beginning) return 'never';
  const forgotten = (await positionOf(queue, forgottenReader)) ?? -1n;
  return position <= forgotten ? 'done' : 'not-yet';
}

/** The event as it is recorded. Throws `FlowEventDeleted` where it is in the store no more. */
export async function readLocated(store: EventStore, { orgId, eventId, position }: KnownEvent): Promise<RecordedEvent> {
  const recorded = await readStandingEventAt(store, position);
  if (recorded?.id !== eventId) throw new FlowEventDeleted(orgId, eventId);
  return recorded;
}

async function recordedIn(store: EventStore, stream: string, eventId: string): Promise<RecordedEvent | undefined> {
  for await (const recorded of readIfExists(store.readStream(stream))) if (recorded.id === eventId) return recorded;
  return undefined;
}

/** A flow event with its content, and where it is in the event store. */
export type ShownFlowEvent = {
  event: FlowEvent;
  place: Pick<RecordedEvent, 'stream' | 'revision' | 'position'>;
  /** The fan-out has gone by it. */
  handedOver: boolean;
  /** The actor; null for an event that its producer appended without one. */
  publishedBy: string | null;
  /** Attributes of the CloudEvent as which it was published; null for others. */
  cloudEvent: JsonObject | null;
};

/**
 * A flow event by the id of its producer: see `locateFlowEvent`. Throws `FlowEventNotFound`, and `FlowEventDeleted` if
 * the event store no longer holds it.
 */
export async function showFlowEvent(sources: ShownSources, orgId: string, id: string): Promise<ShownFlowEvent> {
  const located = await locateFlowEvent(sources, orgId, id);
  const recorded = await readLocated(sources.store, located);
  const { stream, revision, position } = recorded;
  const { actor, cloudEvent } = (recorded.metadata ?? {}) as JsonObject; // fields are checked before use
  const isObject = typeof cloudEvent === 'object' && cloudEvent !== null && !Array.isArray(cloudEvent);
  return {
    event: readFlowEvent(recorded),
    place: { stream, revision, position },
    handedOver: (await handOverOf(sources.queue, located)) === 'done',
    publishedBy: typeof actor === 'string' ? actor : null,
    cloudEvent: isObject ? (cloudEvent as JsonObject) : null,
  };
}
