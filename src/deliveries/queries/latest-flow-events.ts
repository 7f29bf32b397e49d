import pLimit from 'p-limit';
import { type FlowEvent, readFlowEvent } from '../../flows/flow-event.js';
import type { LatestFlowEvents } from '../../flows/samples/samples.js';
import { type TimeSlice, timeSlice } from '../../kernel/time-slice.js';
import type { EventFinder, ListedEvent } from '../../queue/delivery-log.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { readStandingEventAt } from '../../stores/event-store/read-at.js';
import { searchFlowEvents } from './search-flow-events.js';

export type LatestFlowEventSources = {
  store: EventStore;
  queue: EventFinder;
  /** A monotonic clock. */
  nowMs?: () => number;
};

/** Bounds of one call where few events are accepted, or many have been deleted. */
const maxRead = { events: 500, ms: 1_000 };
/** Maximum concurrent reads of the event store by one call: few, because the embedded store parses events on this thread. */
const maxConcurrentReads = 4;
/** Events that are read before the limits are looked at again: one may have a megabyte. */
const readAtOnce = 10;
/** Minimum size of a page after the first one, which holds the requested number. */
const minPageSize = 50;

/**
 * The latest flow events of an organisation among those that the fan-out has processed; the cost does not depend on
 * their number. Omits deleted events. Throws `StoreUnavailable`.
 */
export function latestFlowEvents({
  store,
  queue,
  nowMs = () => performance.now(),
}: LatestFlowEventSources): LatestFlowEvents {
  async function read(slice: TimeSlice, { orgId, eventId, position }: ListedEvent): Promise<FlowEvent | undefined> {
    if (slice.hasEnded()) await slice.next();
    const recorded = await readStandingEventAt(store, position);
    if (recorded?.id !== eventId) return undefined;
    const event = readFlowEvent(recorded);
    return event.orgId === orgId ? event : undefined;
  }

  return async ({ orgId, subscriptionType, limit, maxBytes, accepts }) => {
    const deadline = nowMs() + maxRead.ms;
    const slice = timeSlice(nowMs);
    const reads = pLimit(maxConcurrentReads);
    const found: FlowEvent[] = [];
    let bytes = 0;
    let after: string | undefined;
    for (let seen = 0; seen < maxRead.events && nowMs() < deadline; ) {
      const size = seen === 0 ? limit : Math.max(limit, minPageSize);
      const { events, next } = await searchFlowEvents(queue, { orgId, type: subscriptionType, after, limit: size });
      for (let start = 0; start < events.length; start += readAtOnce) {
        for (const event of await reads.map(events.slice(start, start + readAtOnce), (each) => read(slice, each))) {
          if (slice.hasEnded()) await slice.next();
          if (!event || !accepts(event)) continue;
          bytes += Buffer.byteLength(event.dataText ?? JSON.stringify(event.data));
          if (bytes > maxBytes && found.length > 0) return found;
          if (found.push(event) === limit) return found;
        }
        if (nowMs() > deadline) return found;
      }
      if (next === undefined || events.length === 0) return found;
      after = next;
      seen += events.length;
    }
    return found;
  };
}
