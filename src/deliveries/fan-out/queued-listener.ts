import type { ListenerDetails } from '../../events/listener-events.js';
import type { NotifyChange } from '../../listeners/commands/operate-listener.js';
import type { QueuedListener } from '../../queue/delivery.js';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import { emptyBatch } from '../../queue/fan-out-batch.js';

/** The queue's row of a listener, as of the event at `position`. */
export function queuedListenerOf(
  details: ListenerDetails,
  { paused, position }: { paused: boolean; position: bigint },
): QueuedListener {
  const { listenerId, orgId, hookUrl, subscription, secret } = details;
  // Named one by one: this is made of every listener that an event goes to, and spreading costs ten times as much.
  return { listenerId, orgId, hookUrl, subscription, secret, paused, position };
}

/** Hands a change to the queue at once. The fan-out repeats it later, so a crash before this call loses nothing. */
export const notifyQueue =
  (queue: Pick<DeliveryQueue, 'enqueue'>, clock: () => number): NotifyChange =>
  async ({ details, isHealthReset, ...change }) => {
    const listeners = [{ ...queuedListenerOf(details, change), isHealthReset }];
    await queue.enqueue({ ...emptyBatch, listeners }, clock());
  };
