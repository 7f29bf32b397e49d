import { EventUndecodable } from '../event-store/errors.js';
import type { EventStore, RecordedEvent } from '../event-store/event-store.js';
import { type FlowEvent, firstOrganisationOf, flowStream } from '../flows/flow-event.js';

const maxRemembered = 10_000;

/** Throws `EventUndecodable` where a flow event names another organisation than the first event of its stream does. */
export type RequireOwnStream = (event: FlowEvent, recorded: RecordedEvent) => Promise<void>;

/** The first event of a stream never changes, so what it names is remembered, for a bounded number of streams. */
export function streamOrganisations(store: EventStore): RequireOwnStream {
  const owners = new Map<string, string | undefined>();

  async function ownerOf({ orgId, flowId }: FlowEvent, { stream, revision }: RecordedEvent) {
    // Of a stream that is named after the organisation and the flow, publishing sees to it.
    if (revision === 0n || stream === flowStream(orgId, flowId)) return orgId;
    if (owners.has(stream)) return owners.get(stream);
    const owner = await firstOrganisationOf(store, stream);
    for (const oldest of owners.keys()) {
      if (owners.size < maxRemembered) break;
      owners.delete(oldest);
    }
    owners.set(stream, owner);
    return owner;
  }

  return async (event, recorded) => {
    if ((await ownerOf(event, recorded)) === event.orgId) return;
    throw new EventUndecodable(recorded, 'it names another organisation than the first event of its stream');
  };
}
