import { pino } from 'pino';
import { listeners } from '../../projections/listeners.js';
import { readKeys } from '../access/keys/service-keys.js';
import { deliveries } from '../deliveries/deliveries.js';
import type { DeliveryQueue } from '../deliveries/queue/delivery-queue.js';
import { type Close, closeAll } from '../kernel/closing.js';
import { serveThread } from '../kernel/thread.js';
import { backgroundJobs } from '../operations/background-jobs.js';
import type { Committed } from '../stores/event-store/sqlite/tail.js';
import { watch } from '../stores/read-model/following/watch.js';
import { readConfig } from './config/config.js';
import { type DispatcherStatus, sendStatusChanges } from './dispatcher-status.js';
import { attemptMetrics } from './metrics/attempt-metrics.js';
import { addResubscriptionMetrics, countAppends } from './metrics/event-store-metrics.js';
import { hookMetrics } from './metrics/hook-metrics.js';
import { meteredLeases } from './metrics/lease-metrics.js';
import { type Metrics, type MetricsSnapshot, openMetrics } from './metrics/metrics.js';
import { addDeliveriesMetrics, addQueueMetrics } from './metrics/queue-metrics.js';
import { openStores } from './stores/open-stores.js';

/** The methods of the thread: those of the queue, and these. */
export type DispatcherMethods = DeliveryQueue & {
  /** Events have been appended by this process. */
  readonly appended: (committed: Committed) => Promise<void>;
  readonly metrics: () => Promise<MetricsSnapshot>;
  readonly stop: (timeoutMs: number) => Promise<void>;
};

serveThread(async (_: undefined, send: (status: DispatcherStatus) => void): Promise<DispatcherMethods> => {
  const config = readConfig(process.env);
  const opened: Close[] = [];
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: false }));
  const metrics = openMetrics();
  const stores = await openStores(config, log, (close) => opened.push(close));
  const queue = await stores.openQueue();
  const store = countAppends(stores.events, metrics);
  const { masterKeys } = await readKeys(config.keys, {
    dataDirectory: config.dataDirectory,
    mayMake: config.mode === 'development',
  });
  const view = watch({ store, readModel: stores.readModel, projection: listeners });
  const common = {
    store,
    readModel: stores.readModel,
    leases: meteredLeases(stores.leases, metrics),
    viewPassed: view.passed,
    log,
  };

  const running = await deliveries(config.deliveries, {
    ...common,
    queue,
    masterKeys,
    otherInstances: stores.shared,
    onAttempted: attemptMetrics(metrics),
    hookMetrics: hookMetrics(metrics),
  });
  const jobs = backgroundJobs(config, { ...common, queue: running.queue });
  const stop = async (timeoutMs: number): Promise<void> => {
    await Promise.all([running.stop(timeoutMs), jobs.stop()]);
  };

  const head = metrics.reading('head', () => store.head());
  addDeliveriesMetrics(metrics, running.status, head);
  addResubscriptionMetrics(metrics, () => stores.subscriptions().resubscriptions);
  addMetricsOf(queue, metrics);
  const status = sendStatusChanges({ deliveries: running.status, subscriptions: stores.subscriptions }, send);
  return {
    ...running.queue,
    appended: async (committed) => stores.wakeUp(committed),
    metrics: () => metrics.registry.getMetricsAsJSON(),
    stop,
    async close() {
      status.stop();
      await closeAll([...opened, view.stop, () => stop(0)]);
    },
  };
});

function addMetricsOf(queue: DeliveryQueue, metrics: Metrics): void {
  addQueueMetrics(metrics, {
    counts: metrics.reading('queue', () => queue.counts(Date.now())),
    openBreakers: metrics.reading('breakers', () => queue.openBreakers()),
  });
}
