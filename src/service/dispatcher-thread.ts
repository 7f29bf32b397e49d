import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { listeners } from '../../projections/listeners.js';
import { readKeys } from '../access/keys/service-keys.js';
import { notifyQueue } from '../deliveries/fan-out/notify-queue.js';
import type { DeliveryQueue } from '../deliveries/queue/delivery-queue.js';
import { retryPolicyOf } from '../deliveries/queue/policy/retry-policy.js';
import { startRetention } from '../deliveries/queue/retention.js';
import { type DeliveriesStatus, startDeliveries } from '../deliveries/start-deliveries.js';
import { targetGuard } from '../deliveries/target-guard/target-guard.js';
import { type Close, closeAll } from '../kernel/closing.js';
import { type Failure, failureOf, serveThread } from '../kernel/thread.js';
import { flowRetention } from '../operations/erasure/flow-retention.js';
import { sessionRetention } from '../operations/erasure/session-retention.js';
import { startStreamRetention } from '../operations/erasure/stream-retention.js';
import { startReplayRunner } from '../operations/replays/replay-runner.js';
import { defaultFailingPolicy } from '../registrations/listeners/failing/failing-policy.js';
import { recordFailingListener } from '../registrations/listeners/failing/record-failing-listener.js';
import { removeGoneListener } from '../registrations/listeners/failing/remove-gone-listener.js';
import { currentRegistration, registeredAt } from '../registrations/listeners/queries/find.js';
import type { Cause } from '../stores/event-store/codec.js';
import type { Committed } from '../stores/event-store/sqlite/tail.js';
import { watch } from '../stores/read-model/following/watch.js';
import { readConfig } from './config/config.js';
import { attemptMetrics } from './metrics/attempt-metrics.js';
import { addResubscriptionMetrics, countAppends } from './metrics/event-store-metrics.js';
import { hookMetrics } from './metrics/hook-metrics.js';
import { meteredLeases } from './metrics/lease-metrics.js';
import { type MetricsSnapshot, openMetrics } from './metrics/metrics.js';
import { addDeliveriesMetrics, addQueueMetrics } from './metrics/queue-metrics.js';
import { openStores, type SubscriptionsStatus } from './stores/open-stores.js';

/** What can be asked of the thread: the queue's methods, and these. */
export type DispatcherMethods = DeliveryQueue & {
  /** Events have been appended by this process. */
  readonly appended: (committed: Committed) => Promise<void>;
  readonly metrics: () => Promise<MetricsSnapshot>;
  readonly stop: (timeoutMs: number) => Promise<void>;
};

/** What the thread tells, whenever it has changed. */
export type DispatcherTold = {
  readonly fanOut: Omit<DeliveriesStatus['fanOut'], 'error'> & { readonly error: Failure | undefined };
  readonly worker: Omit<DeliveriesStatus['worker'], 'error'> & { readonly error: Failure | undefined };
  /** Its subscriptions to the event store that are being re-established. */
  readonly subscriptionsInTrouble: SubscriptionsStatus['inTrouble'];
};

const tellEveryMs = 100;

serveThread(async (_: undefined, tell: (told: DispatcherTold) => void): Promise<DispatcherMethods> => {
  const config = readConfig(process.env);
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: false }));
  const opened: Close[] = [];
  const stores = await openStores(config, log, (close) => opened.push(close));
  const { readModel } = stores;
  const queue = await stores.openQueue();
  const metrics = openMetrics();
  const store = countAppends(stores.events, metrics);
  const leases = meteredLeases(stores.leases, metrics);
  const { masterKeys } = await readKeys(config.keys, {
    dataDirectory: config.dataDirectory,
    mayMake: config.mode === 'development',
  });
  const listenersView = watch({ store, readModel, projection: listeners });
  const { startFrom, concurrency, perHost, ratePerSecond, retryDelays, pauseFailingAfterMs, retentionMs } =
    config.deliveries;

  const deliveries = startDeliveries({
    ...{ store, queue, leases, log, masterKeys },
    guard: targetGuard(config.deliveries),
    settings: {
      ...{ concurrency, perHost, ratePerSecond },
      ...(retryDelays && { retryPolicy: retryPolicyOf(retryDelays) }),
    },
    troubledHooks: {
      failingPolicy:
        pauseFailingAfterMs === undefined ? undefined : { ...defaultFailingPolicy, afterMs: pauseFailingAfterMs },
      onFailing: (hook) =>
        recordFailingListener({ store, notifyChange: notifyQueue(queue, Date.now) }, hook, byService()),
      ...hookMetrics(metrics),
    },
    startFrom: startFrom === 'end' ? await store.head() : startFrom,
    otherInstances: stores.shared,
    registeredAt: (orgId, position) => registeredAt(readModel, orgId, position),
    viewPassed: listenersView.passed,
    onAttempted: attemptMetrics(metrics),
    onGone: (delivery) => removeGoneListener(store, deliveries.barrier, delivery, byService()),
  });

  const enqueueAndWake: DeliveryQueue['enqueue'] = async (batch, now) => {
    const enqueued = await queue.enqueue(batch, now);
    deliveries.wake();
    return enqueued;
  };
  const background = [
    startRetention({ queue, leases, log, retentionMs, clock: Date.now }),
    startReplayRunner({
      ...{ store, readModel, leases, log, clock: Date.now },
      queue: { ...queue, enqueue: enqueueAndWake },
      registration: (listenerId) => currentRegistration(readModel, listenerId),
      viewPassed: listenersView.passed,
    }),
  ];

  const byAge = { store, leases, log, clock: Date.now };
  if (config.flows.retentionMs !== undefined) {
    const policy = flowRetention({ store, queue, readModel });
    background.push(startStreamRetention({ ...byAge, ...policy, retentionMs: config.flows.retentionMs }));
  }
  if (config.tokens.retentionMs !== undefined) {
    const { retentionMs: sessionsMs } = config.tokens;
    const policy = sessionRetention({ ...byAge, limits: config.tokens, retentionMs: sessionsMs });
    background.push(startStreamRetention({ ...byAge, ...policy, retentionMs: sessionsMs }));
  }

  async function stop(timeoutMs: number): Promise<void> {
    await Promise.all([deliveries.stop(timeoutMs), ...background.map((each) => each.stop())]);
  }

  const head = metrics.reading('head', () => store.head());
  const counts = metrics.reading('queue', () => queue.counts(Date.now()));
  addResubscriptionMetrics(metrics, () => stores.subscriptions().resubscriptions);
  addQueueMetrics(metrics, { counts, openBreakers: metrics.reading('breakers', () => queue.openBreakers()) });
  addDeliveriesMetrics(metrics, deliveries.status, head);

  let last = '';
  function tellStatus(): void {
    const { fanOut, worker } = deliveries.status();
    const told: DispatcherTold = {
      fanOut: { ...fanOut, error: fanOut.error === undefined ? undefined : failureOf(fanOut.error) },
      worker: { ...worker, error: worker.error === undefined ? undefined : failureOf(worker.error) },
      subscriptionsInTrouble: stores.subscriptions().inTrouble,
    };
    const text = JSON.stringify({ ...told, fanOut: { ...told.fanOut, position: told.fanOut.position?.toString() } });
    if (text !== last) tell(told);
    last = text;
  }
  tellStatus();
  const telling = setInterval(tellStatus, tellEveryMs);

  return {
    ...queue,
    enqueue: enqueueAndWake,
    redeliver: async (query, now) => {
      const redelivered = await queue.redeliver(query, now);
      deliveries.wake();
      return redelivered;
    },
    closeGate: deliveries.barrier.close,
    appended: async (committed) => stores.wakeUp(committed),
    metrics: () => metrics.registry.getMetricsAsJSON(),
    stop,
    async close() {
      clearInterval(telling);
      await closeAll([...opened, listenersView.stop, () => stop(0)]);
    },
  };
});

const byService = (): { readonly cause: Cause; readonly now: Date } => ({
  cause: { actor: 'service', correlationId: randomUUID() },
  now: new Date(),
});
