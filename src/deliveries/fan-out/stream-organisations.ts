import { LRUCache } from 'lru-cache';
import { type FlowEvent, firstToNameOrganisation, flowStream } from '../../flows/flow-event.js';
import { bucketIn, bucketOf } from '../../stores/event-store/bucket.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import { resultIfExists } from '../../stores/event-store/read-if-exists.js';

const maxRemembered = 10_000;

/**
 * Throws `EventUndecodable` where a flow event names another organisation than the first event of its stream that names one, or
 * the stream's name has the bucket of another.
 */
export type RequireOwnStream = (event: FlowEvent, recorded: RecordedEvent) => Promise<void>;

/**
 * Remembers the organisation of a stream, which changes only if the stream is deleted, and reads it again
 * before an event is refused. Where that is unknown, events count as the organisation's own.
 */
export function streamOrganisations(store: EventStore): RequireOwnStream {
  const owners = new LRUCache<string, string>({ max: maxRemembered });

  async function ownerOf({ orgId, flowId }: FlowEvent, { stream, revision }: RecordedEvent) {
    // Of a stream that is named after the organisation and the flow, publishing sees to it.
    if (revision === 0n || stream === flowStream(orgId, flowId)) return orgId;
    if (owners.get(stream) === orgId) return orgId;
    const naming = await resultIfExists(firstToNameOrganisation(store, stream), { orgId });
    const owner = naming?.orgId;
    if (owner !== undefined) owners.set(stream, owner);
    return owner;
  }

  return async (event, recorded) => {
    const bucket = bucketIn(recorded.stream);
    if (bucket !== undefined && bucket !== bucketOf(event.orgId)) {
      throw new EventUndecodable(recorded, 'its stream has the name of those of other organisations');
    }
    if ((await ownerOf(event, recorded)) === event.orgId) return;
    throw new EventUndecodable(
      recorded,
      'it names another organisation than the first event of its stream that names one',
    );
  };
}
