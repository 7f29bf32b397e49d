import type { Logger } from 'pino';
import type { MasterKeys } from '../access/keys/master-keys.js';
import { defaultFailingPolicy } from '../listeners/failing/failing-policy.js';
import { recordFailingListener } from '../listeners/failing/record-failing-listener.js';
import { removeGoneListener } from '../listeners/failing/remove-gone-listener.js';
import { registeredAt } from '../listeners/queries/find.js';
import { causedByService } from '../stores/event-store/caused-by-service.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { Leases } from '../stores/leases/leases.js';
import type { ReadModel } from '../stores/read-model/read-model.js';
import { notifyQueue } from './fan-out/notify-queue.js';
import type { DeliveryQueue } from './queue/delivery-queue.js';
import { retryPolicyOf } from './queue/policy/retry-policy.js';
import { startRetention } from './queue/retention.js';
import { type DeliveriesOptions, type DeliveriesStatus, startDeliveries } from './start-deliveries.js';
import { targetGuard } from './target-guard/target-guard.js';
import type { TargetPolicy } from './target-guard/target-judge.js';

export type DeliverySettings = TargetPolicy & {
  readonly concurrency: number;
  /** Maximum number of concurrent requests to one host. */
  readonly perHost: number;
  /** Maximum number of deliveries per second to one listener; undefined: no limit. */
  readonly ratePerSecond: number | undefined;
  /** Milliseconds between attempts; undefined: `defaultRetryPolicy`. */
  readonly retryDelays: readonly number[] | undefined;
  /** Sends `traceparent` (W3C Trace Context) to listeners. */
  readonly sendTraceparent: boolean;
  /** A listener without a success for this time is paused; undefined: none is. */
  readonly pauseFailingAfterMs: number | undefined;
  /** Interval between the end of a delivery and its removal, in milliseconds. */
  readonly retentionMs: number;
  /** How long the ids of flow events are known after the events were recorded, in milliseconds. */
  readonly publishMemoryMs: number;
  /** Position after which the fan-out begins if the queue has no checkpoint. Undefined: it waits for an operator. */
  readonly startFrom: bigint | 'end' | undefined;
};

export type DeliveryDependencies = Pick<DeliveriesOptions, 'viewPassed' | 'onAttempted'> & {
  readonly store: EventStore;
  readonly readModel: ReadModel;
  readonly queue: DeliveryQueue;
  readonly leases: Leases;
  readonly masterKeys: MasterKeys;
  /** Whether other instances work on the same queue. */
  readonly otherInstances: boolean;
  readonly listenerMetrics: Pick<DeliveriesOptions['troubledListeners'], 'onBreaker' | 'onNotice'>;
  readonly log: Logger;
};

export type RunningDeliveries = {
  /** The queue for other callers: they wake the worker, and a gate that they close stops this process's posts at once. */
  readonly queue: DeliveryQueue;
  readonly status: () => DeliveriesStatus;
  /** Leases nothing new and waits for current attempts, for at most `timeoutMs`. The queue stays open. */
  readonly stop: (timeoutMs: number) => Promise<void>;
};

/** Fan-out, deliveries, and the removal of old deliveries. */
export async function deliveries(
  settings: DeliverySettings,
  { readModel, listenerMetrics, ...dependencies }: DeliveryDependencies,
): Promise<RunningDeliveries> {
  const { store, queue, leases, log } = dependencies;
  const { concurrency, perHost, ratePerSecond, retryDelays, pauseFailingAfterMs, startFrom } = settings;
  const { sendTraceparent } = settings;
  const { barrier, status, wake, stop } = startDeliveries({
    ...dependencies,
    guard: targetGuard(settings),
    settings: {
      concurrency,
      perHost,
      ratePerSecond,
      sendTraceparent,
      ...(retryDelays && { retryPolicy: retryPolicyOf(retryDelays) }),
    },
    startFrom: startFrom === 'end' ? await store.head() : startFrom,
    registeredAt: (orgId, position) => registeredAt(readModel, orgId, position),
    onGone: (delivery) => removeGoneListener(store, barrier, delivery, causedByService()),
    troubledListeners: {
      failingPolicy:
        pauseFailingAfterMs === undefined ? undefined : { ...defaultFailingPolicy, afterMs: pauseFailingAfterMs },
      onFailing: (listener) =>
        recordFailingListener({ store, notifyChange: notifyQueue(queue, Date.now) }, listener, causedByService()),
      ...listenerMetrics,
    },
  });
  const retention = startRetention({ ...settings, queue, leases, log, clock: Date.now });

  const thenWake = async <Result>(work: Promise<Result>): Promise<Result> => {
    const result = await work;
    wake();
    return result;
  };
  return {
    queue: {
      ...queue,
      enqueue: (batch, now) => thenWake(queue.enqueue(batch, now)),
      redeliver: (query, now) => thenWake(queue.redeliver(query, now)),
      closeGate: barrier.close,
    },
    status,
    async stop(timeoutMs) {
      await Promise.all([stop(timeoutMs), retention.stop()]);
    },
  };
}
