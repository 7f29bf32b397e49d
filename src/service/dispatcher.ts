import type { DeliveriesStatus } from '../deliveries/deliveries.js';
import { portOf } from '../kernel/threads/port-of.js';
import { startThread } from '../kernel/threads/thread.js';
import type { OpenQueue } from '../queue/delivery-queue.js';
import type { Appended } from '../stores/event-store/sqlite/sqlite-event-store.js';
import type { LookAtLeases } from '../stores/leases/mongodb/mongodb-leases.js';
import type { DispatcherSettings } from './dispatcher-settings.js';
import { newBacklog } from './dispatcher-settings.js';
import { type DispatcherStatus, deliveriesStatusOf, initialStatus } from './dispatcher-status.js';
import type { DispatcherMethods } from './dispatcher-thread.js';
import type { MetricsSnapshot } from './metrics/metrics.js';
import type { SubscriptionsStatus } from './stores/stores.js';

/** Fan-out and deliveries run on another thread, so that they and requests do not delay each other. */
export type Dispatcher = {
  /** Queue whose gates stop this process's posts at once when they close. */
  queue: OpenQueue;
  status: () => DeliveriesStatus;
  failingSubscriptions: () => SubscriptionsStatus['failing'];
  metrics: () => Promise<MetricsSnapshot>;
  /** Undefined if no other instance competes. */
  lookAtLeases: LookAtLeases | undefined;
  /** Load since the last call, from 0 to 1. */
  load: () => number;
  /** Undefined if other instances attempt deliveries too. */
  backlog: (() => ArrayLike<number>) | undefined;
  /** Called after an append; without events, another process may have appended. */
  appended: (appended?: Appended) => void;
  /** Waits for current attempts for at most `timeoutMs`. The queue stays open. */
  stop: (timeoutMs: number) => Promise<void>;
  close: () => Promise<void>;
};

/**
 * Rejects with the domain error that keeps it from starting. `onFailure`: the thread ended unexpectedly. `onShortage`:
 * attempts fail for lack of file descriptors or memory.
 */
export async function startDispatcher(
  settings: DispatcherSettings,
  { onFailure, onShortage }: { onFailure: (error: Error) => void; onShortage: () => void },
): Promise<Dispatcher> {
  let status = initialStatus;
  const backlog = newBacklog();
  const { call, tell, load, close } = await startThread<DispatcherMethods>(
    new URL('./dispatcher-thread.js', import.meta.url),
    { ...settings, backlog },
    {
      what: 'the dispatcher',
      onMessage: (message) => {
        const { outage: before } = status.worker;
        status = message as DispatcherStatus; // the thread sends nothing else
        const { outage } = status.worker;
        if (outage?.failure === 'local_resources' && outage.released !== before?.released) onShortage();
      },
      onFailure,
    },
  );
  return {
    queue: portOf<Dispatcher['queue']>(call),
    status: () => deliveriesStatusOf(status),
    failingSubscriptions: () => status.failingSubscriptions,
    metrics: () => call('metrics'),
    lookAtLeases: settings.cluster && (() => call('lookAtLeases')),
    load,
    backlog: settings.cluster ? undefined : () => backlog,
    appended: (appended) => tell('appended', appended),
    stop: (timeoutMs) => call('stop', timeoutMs),
    close,
  };
}
