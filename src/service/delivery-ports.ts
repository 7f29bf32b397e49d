import type { Logger } from 'pino';
import { type TargetJudge, type TargetPolicy, targetJudge } from '../deliveries/target-guard/target-judge.js';
import { unsubscribeBarrier, workerGates } from '../deliveries/worker/gates.js';
import type { UnsubscribeBarrier } from '../listeners/commands/end-listener.js';
import type { OnRemoved } from '../listeners/commands/operate-listener.js';
import type { OpenQueue } from '../queue/delivery-queue.js';
import type { Dispatcher } from './dispatcher.js';
import type { OnStop, Stores } from './stores/stores.js';

/** The deliveries, for the routes. */
export type DeliveryPorts = {
  queue: OpenQueue;
  barrier: UnsubscribeBarrier;
  guard: Pick<TargetJudge, 'check'>;
  /** Undefined: nothing to do. */
  onRemoved: OnRemoved | undefined;
};

type DeliveryPortSettings = { targets: TargetPolicy; notifyRemoved: boolean };

export async function openDeliveryPorts(
  { deliveries }: { deliveries: DeliveryPortSettings },
  { stores, dispatcher, log }: { stores: Stores; dispatcher: Dispatcher | undefined; log: Logger },
  onStop: OnStop,
): Promise<DeliveryPorts> {
  const queue = await queueOf(stores, dispatcher);
  // The dispatcher knows its own posts; the posts of other instances end when their permits do.
  const barrier = stores.shared
    ? unsubscribeBarrier(workerGates(), queue, true)
    : { close: (listenerId: string) => queue.withdraw({ listenerId }) };
  const notices = deliveries.notifyRemoved ? await openRemovalNotices(deliveries.targets, log) : undefined;
  // In the time that requests and posts have left over.
  if (notices) onStop(notices.stop);
  return { queue, barrier, guard: targetJudge(deliveries.targets), onRemoved: notices?.notify };
}

/** The HTTP client is loaded only where it is needed. */
async function openRemovalNotices(targets: TargetPolicy, log: Logger) {
  const { removalNotices } = await import('../deliveries/posting/removal-notice.js');
  const { targetGuard } = await import('../deliveries/target-guard/target-guard.js');
  return removalNotices({ guard: targetGuard(targets), log });
}

/** The dispatcher alone opens the embedded queue. */
async function queueOf(stores: Stores, dispatcher: Dispatcher | undefined): Promise<OpenQueue> {
  if (stores.shared) return stores.openQueue();
  if (!dispatcher) throw new Error('the embedded store needs all roles'); // `readConfig` has checked it
  return dispatcher.queue;
}
