import type { Registration } from '../../projections/listeners.js';
import type { RecordedEvent } from '../event-store/event-store.js';
import type { FlowEvent } from '../flows/flow-event.js';
import { matches } from '../flows/subscription-types.js';
import { listenerCodec } from '../listeners/events.js';
import type { FanOutPart } from './fan-out-part.js';

/** So many deliveries are handed over at a time, however many hooks one event goes to. */
const partSize = 1_000;

/**
 * Gathers what a listener event means for the queue: gates that close, secrets that have changed. Returns whose
 * registrations it changes; undefined where nobody knows the event. Throws `EventUndecodable`.
 */
export function gatherListenerEvent(part: FanOutPart, recorded: RecordedEvent): string | undefined {
  const event = listenerCodec.decode(recorded);
  if (!event) return undefined;
  const { orgId, listenerId } = event.data;
  if (event.type === 'ListenerUnsubscribed') part.end(listenerId);
  if (event.type === 'ListenerSecretRotated') part.target({ ...event.data, position: event.position });
  return orgId;
}

/**
 * Gathers the deliveries of a flow event to those hooks, of all that its organisation had registered at its position, which
 * want it. Where they are many, `handOver` takes what has been gathered, part by part; the last part is left to the caller.
 */
export async function gatherDeliveries(
  part: FanOutPart,
  {
    event,
    position,
    registered,
  }: {
    readonly event: FlowEvent;
    readonly position: bigint;
    readonly registered: readonly Registration[];
  },
  handOver: () => Promise<void>,
): Promise<void> {
  const hooks = registered.filter(
    ({ state, subscriptionType }) => state === 'active' && matches(subscriptionType, event.type),
  );
  if (hooks.length === 0) return;
  const message = part.message(event, position);
  for (const hook of hooks) {
    part.deliver(message, hook);
    if (part.size >= partSize) await handOver();
  }
}
