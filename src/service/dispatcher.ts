import type { DeliveryQueue } from '../deliveries/queue/delivery-queue.js';
import { remoteQueue } from '../deliveries/queue/remote-queue.js';
import type { DeliveriesStatus } from '../deliveries/start-deliveries.js';
import { errorOf, startThread } from '../kernel/thread.js';
import type { Committed } from '../stores/event-store/sqlite/tail.js';
import type { DispatcherMethods, DispatcherTold } from './dispatcher-thread.js';
import type { MetricsSnapshot } from './metrics/metrics.js';
import type { SubscriptionsStatus } from './stores/open-stores.js';

/** Fan-out and deliveries, on a thread of their own: neither they nor the requests of this process hold each other up. */
export type Dispatcher = {
  /** The dispatcher's own queue. A gate that is closed through it stops this process's posts at once. */
  readonly queue: Omit<DeliveryQueue, 'close'>;
  readonly status: () => DeliveriesStatus;
  /** Its subscriptions to the event store that are being re-established. */
  readonly subscriptionsInTrouble: () => SubscriptionsStatus['inTrouble'];
  readonly metrics: () => Promise<MetricsSnapshot>;
  /** The share of its time in which it was busy since this was last asked: from 0 to 1. */
  readonly load: () => number;
  /** Events have been appended by this process. */
  readonly appended: (committed: Committed) => void;
  /** Takes up nothing new and lets attempts under way end, for at most `timeoutMs`. The queue stays open. */
  readonly stop: (timeoutMs: number) => Promise<void>;
  readonly close: () => Promise<void>;
};

/**
 * Starts the dispatcher by the settings in the environment, as everything in this process does. Rejects with the domain
 * error that keeps it from starting; `onFailure` is told where it ends by itself.
 */
export async function startDispatcher({
  onFailure,
}: {
  readonly onFailure: (error: Error) => void;
}): Promise<Dispatcher> {
  let told: DispatcherTold = {
    fanOut: { position: undefined, error: undefined },
    worker: { underWay: 0, error: undefined },
    subscriptionsInTrouble: [],
  };
  const { call, tell, load, close } = await startThread<DispatcherMethods>(
    new URL('./dispatcher-thread.js', import.meta.url),
    undefined,
    {
      what: 'the dispatcher',
      onMessage: (value) => {
        told = value as DispatcherTold; // the one thing that it tells
      },
      onFailure,
    },
  );
  return {
    queue: remoteQueue({ call }),
    status: () => ({
      fanOut: { ...told.fanOut, error: told.fanOut.error && errorOf(told.fanOut.error) },
      worker: { ...told.worker, error: told.worker.error && errorOf(told.worker.error) },
    }),
    subscriptionsInTrouble: () => told.subscriptionsInTrouble,
    metrics: () => call('metrics'),
    load,
    appended: (committed) => tell('appended', committed),
    stop: (timeoutMs) => call('stop', timeoutMs),
    close,
  };
}
