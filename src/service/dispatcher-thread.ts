import { EventEmitter } from 'node:events';
import { type Logger, pino } from 'pino';
import { listenersView } from '../../projections/listeners.js';
import type { MasterKeys } from '../access/keys/master-keys.js';
import { openMasterKeys } from '../access/keys/open-keys.js';
import { backgroundJobs } from '../admin/background-jobs.js';
import { deliveries, type RunningDeliveries } from '../deliveries/deliveries.js';
import { fanOutPartitionsOf } from '../deliveries/delivery-settings.js';
import { postThrough } from '../deliveries/posting/post.js';
import { targetGuard } from '../deliveries/target-guard/target-guard.js';
import { type Close, closeAll } from '../kernel/closing.js';
import { serveThread } from '../kernel/threads/thread.js';
import { flushSpans } from '../kernel/tracing/span.js';
import { agentAccessReader } from '../listeners/agents/agent-subscription.js';
import { registeredAt } from '../listeners/queries/registered-listeners.js';
import type { startAgentAccess } from '../mcp/agent-access.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import { positionOf } from '../queue/reader-positions.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import { observeAppends } from '../stores/event-store/observed-event-store.js';
import type { Appended } from '../stores/event-store/sqlite/sqlite-event-store.js';
import type { LookAtLeases } from '../stores/leases/mongodb/mongodb-leases.js';
import type { Follower } from '../views/follower.js';
import { watch } from '../views/following/watch.js';
import type { DispatcherSettings } from './dispatcher-settings.js';
import { countBacklog, type DispatcherBacklog } from './dispatcher-settings.js';
import { type DispatcherStatus, sendStatusChanges } from './dispatcher-status.js';
import { attemptMetrics, listenerMetrics } from './metrics/delivery-metrics.js';
import { type Metrics, type MetricsSnapshot, openMetrics } from './metrics/metrics.js';
import { addDeliveriesMetrics, addQueueMetrics } from './metrics/queue-metrics.js';
import { addResubscriptionMetrics, countAppends, meteredLeases } from './metrics/store-metrics.js';
import { openStores } from './stores/open-stores.js';
import type { Stores } from './stores/stores.js';

export type DispatcherMethods = DeliveryQueue & {
  /** Called after an append; without events, another process may have appended. */
  appended: (appended?: Appended) => Promise<void>;
  metrics: () => Promise<MetricsSnapshot>;
  /** Leases for the main thread, so that the process reads them once. */
  lookAtLeases: LookAtLeases;
  stop: (timeoutMs: number) => Promise<void>;
};

serveThread(open);

async function open(
  { backlog, ...settings }: DispatcherSettings & { backlog: DispatcherBacklog },
  send: (status: DispatcherStatus) => void,
): Promise<DispatcherMethods> {
  const opened: Close[] = [];
  const log = pino({ level: settings.logLevel }, pino.destination({ dest: 2, sync: false }));
  const metrics = openMetrics();
  const stores = await openStores(settings, log, (close) => opened.push(close), { isNotified: true });
  const queue = await stores.openQueue(fanOutPartitionsOf(settings.deliveries));
  const store = observeAppends(stores.events, countAppends(metrics));
  const view = watch({ store, readModel: stores.readModel, projection: listenersView, onlyAwaited: true });
  opened.push(view.stop);

  const { running, stop } = await startWork(settings, { stores, store, queue, backlog, view, metrics, log });
  addMetrics(metrics, { stores, store, running });
  const status = sendStatusChanges({ deliveries: running.status, subscriptions: stores.subscriptions }, send);
  return {
    ...running.queue,
    appended: async (appended) => stores.wakeUp(appended),
    metrics: () => metrics.registry.getMetricsAsJSON(),
    lookAtLeases: async () => (await stores.lookAtLeases?.()) ?? new Map(),
    stop,
    async close() {
      status.stop();
      await closeAll([flushSpans, ...opened, () => stop(0)]); // from the last to the first
    },
  };
}

type Resources = {
  queue: DeliveryQueue;
  backlog: DispatcherBacklog;
  stores: Stores;
  store: EventStore;
  view: Follower;
  metrics: Metrics;
  log: Logger;
};

async function startWork(
  settings: DispatcherSettings,
  { stores, store, queue, backlog, view, metrics, log }: Resources,
): Promise<{ running: RunningDeliveries; stop: (timeoutMs: number) => Promise<void> }> {
  const counted = countBacklog(backlog);
  const measure = attemptMetrics(metrics);
  const keys = await openMasterKeys(settings, { store, log });
  const { readModel } = stores;
  const replayEvents = new EventEmitter();
  const common = { store, leases: meteredLeases(stores.leases, metrics), log };
  const running = await deliveries(
    {
      ...settings.deliveries,
      otherInstances: stores.shared,
      fanOutPartitions: stores.shared ? settings.deliveries.fanOutPartitions : undefined,
    },
    {
      ...common,
      queue,
      view: {
        registeredAt: (orgId, position) => registeredAt(readModel, orgId, position),
        position: () => readModel.position(listenersView),
        passed: view.passed,
      },
      masterKeys: keys.masterKeys,
      guard: targetGuard(settings.deliveries.targets),
      observer: {
        ...listenerMetrics(metrics),
        onEnqueued: counted.onEnqueued,
        onReplayEvent: () => replayEvents.emit('event'),
        onAttempted(...attempt) {
          counted.onAttempted(...attempt);
          measure(...attempt);
        },
      },
    },
  );
  const jobs = backgroundJobs(settings, {
    ...common,
    readModel,
    masterKeys: keys.masterKeys,
    viewPassed: view.passed,
    replayEvents,
    queue: running.queue,
  });
  // Subscriptions of agents end with their sessions also after MCP was switched off.
  const agents =
    settings.mcp.isOn || (await positionOf(running.queue, agentAccessReader)) !== undefined
      ? await openAgentAccess(settings, {
          ...common,
          readModel,
          masterKeys: keys.masterKeys,
          viewPassed: view.passed,
          queue: running.queue,
        })
      : undefined;
  return {
    running,
    async stop(timeoutMs) {
      keys.stop();
      await Promise.all([running.stop(timeoutMs), jobs.stop(), agents?.stop()]);
    },
  };
}

/** Loaded only where agents may have subscriptions. */
async function openAgentAccess(
  { deliveries: { targets }, mcp }: DispatcherSettings,
  dependencies: Omit<Parameters<typeof startAgentAccess>[0], 'barrier' | 'notifyTerminated' | 'clock'> & {
    masterKeys: MasterKeys;
    queue: DeliveryQueue;
  },
): Promise<{ stop: () => Promise<void> }> {
  const [{ startAgentAccess }, { callbackPools, terminationNotices }] = await Promise.all([
    import('../mcp/agent-access.js'),
    import('../mcp/callbacks.js'),
  ]);
  const { queue } = dependencies;
  const pools = callbackPools(targetGuard(targets).connect);
  const access = startAgentAccess({
    ...dependencies,
    barrier: { close: (listenerId) => queue.withdraw({ listenerId }) },
    notifyTerminated: terminationNotices({ ...dependencies, ...mcp, post: postThrough(pools) }),
    clock: Date.now,
  });
  return {
    async stop() {
      await access.stop();
      await pools.destroy();
    },
  };
}

function addMetrics(
  metrics: Metrics,
  { stores, store, running }: Pick<Resources, 'stores' | 'store'> & { running: RunningDeliveries },
): void {
  addResubscriptionMetrics(metrics, () => stores.subscriptions().resubscriptions);
  addQueueMetrics(
    metrics,
    metrics.reading('queue', () => running.queue.counts(Date.now())),
  );
  const head = metrics.reading('head', () => store.head());
  addDeliveriesMetrics(metrics, running.status, head);
}
