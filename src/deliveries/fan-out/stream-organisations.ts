import { LRUCache } from 'lru-cache';
import { type FlowEvent, firstOrganisationOf, flowStream } from '../../flows/flow-event.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import { resultIfExists } from '../../stores/event-store/read-if-exists.js';

/** Maximum number of streams remembered, to bound memory. */
const maxRemembered = 10_000;

/** Throws `EventUndecodable` where a flow event names another organisation than the first event of its stream does. */
export type RequireOwnStream = (event: FlowEvent, recorded: RecordedEvent) => Promise<void>;

/**
 * The first event of a stream changes only where the stream is deleted and begins again, so what it names is remembered, for a
 * bounded number of streams, and looked up again before an event is refused for it. For a stream
 * that was deleted meanwhile this is unknown: the events that EventStoreDB still shows count as the organisation's own.
 */
export function streamOrganisations(store: EventStore): RequireOwnStream {
  const owners = new LRUCache<string, string>({ max: maxRemembered });

  async function ownerOf({ orgId, flowId }: FlowEvent, { stream, revision }: RecordedEvent) {
    // Of a stream that is named after the organisation and the flow, publishing sees to it.
    if (revision === 0n || stream === flowStream(orgId, flowId)) return orgId;
    if (owners.get(stream) === orgId) return orgId;
    const owner = await resultIfExists(firstOrganisationOf(store, stream), orgId);
    if (owner !== undefined) owners.set(stream, owner);
    return owner;
  }

  return async (event, recorded) => {
    if ((await ownerOf(event, recorded)) === event.orgId) return;
    throw new EventUndecodable(recorded, 'it names another organisation than the first event of its stream');
  };
}
