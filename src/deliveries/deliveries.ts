import type { Logger } from 'pino';
import type { MasterKeys } from '../access/keys/master-keys.js';
import { version } from '../kernel/version.js';
import { endExpired } from '../listeners/agents/end-expired.js';
import {
  type FailingPolicy,
  recordFailingListener,
  removeGoneListener,
} from '../listeners/commands/failing-listener.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import { defaultPerHost } from '../queue/policy/fair-sharing.js';
import type { OwnedPartitions } from '../queue/policy/partition.js';
import { defaultRetryPolicy, type RetryPolicy } from '../queue/policy/retry-policy.js';
import { type RetentionTimes, startRetention } from '../queue/retention.js';
import { causedByService } from '../stores/event-store/codec.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { Leases } from '../stores/leases/leases.js';
import { type FanOutStatus, fanOutUnderLeases } from './fan-out/fan-out.js';
import { notifyQueue } from './fan-out/fan-out-batch-builder.js';
import { closeGates } from './fan-out/fan-out-beginning.js';
import type { FanOutSettings } from './fan-out/fan-out-settings.js';
import type { ListenersView } from './fan-out/listeners.js';
import { fanOutPosition, type PartitionLease, requirePartitions } from './fan-out/partitions.js';
import { listenerPools } from './posting/listener-pools.js';
import { postThrough } from './posting/post.js';
import type { TargetGuard } from './target-guard/target-guard.js';
import { transformer } from './transforms/transformer.js';
import { unsubscribeBarrier, workerGates } from './worker/gates.js';
import { derivedSecrets, signedHeaders } from './worker/signed-headers.js';
import { type TroubleObserver, watchTroubledListeners } from './worker/troubled-listeners.js';
import { startWorker, type Worker, type WorkerStatus } from './worker/worker.js';
import type { AttemptObserver } from './worker/worker-settings.js';

type AttemptLimits = {
  concurrency: number;
  /** Default: a quarter of `concurrency`, so that a slow listener leaves capacity for others. */
  perListener?: number;
  /** Default: half of `concurrency`. */
  perOrganisation?: number;
  /** Default: `defaultPerHost`. */
  perHost?: number;
  /** Rate of listeners without a limit of their own. */
  ratePerSecond?: number;
  /** Limit of one attempt with connecting and the body of the answer; default: 15 s. */
  deadlineMs?: number;
  retryPolicy?: RetryPolicy;
};

export type DeliverySettings = {
  attempts: AttemptLimits;
  /** Undefined: no failing listener is paused. */
  failingPolicy?: FailingPolicy;
  retention: RetentionTimes;
  /** W3C Trace Context; by default not sent. */
  sendTraceparent?: boolean;
  /** Position after which the fan-out begins if the queue has no checkpoint. Undefined: it waits for an operator. */
  startFrom?: bigint | 'end';
  /** Unsubscribing then waits until their permits have expired. */
  otherInstances?: boolean;
  /** Default: 1; the same on all instances. */
  fanOutPartitions?: number;
};

export type DeliveryDependencies = {
  store: EventStore;
  view: ListenersView;
  queue: DeliveryQueue;
  /** Instances share the partitions of the fan-out by the leases `fan-out/…`. */
  leases: Leases;
  masterKeys: MasterKeys;
  guard: TargetGuard;
  observer?: AttemptObserver & TroubleObserver & Pick<FanOutSettings, 'onReplayEvent'>;
  log: Logger;
};

export type DeliveriesStatus = {
  fanOut: FanOutStatus;
  worker: WorkerStatus;
};

export type RunningDeliveries = {
  /** Queue for callers in this process. */
  queue: DeliveryQueue;
  status: () => DeliveriesStatus;
  /** Waits for current attempts for at most `timeoutMs`. The queue stays open. */
  stop: (timeoutMs: number) => Promise<void>;
};

const clock = Date.now;

const defaultDeadlineMs = 15_000;
/** Time after the deadline of an attempt in which its outcome is recorded, as a rule. */
const recordedWithinMs = 5_000;

/** Starts the fan-out, which fills the queue, the worker, which empties it, and the removal of old deliveries. */
export async function deliveries(
  settings: DeliverySettings,
  dependencies: DeliveryDependencies,
): Promise<RunningDeliveries> {
  const { store, view, queue: stored, leases, log } = dependencies;
  const { fanOutPartitions: count = 1, retention: times } = settings;
  const startFrom = settings.startFrom === 'end' ? await store.head() : settings.startFrom;
  await requirePartitions(stored, count);
  const passed = await fanOutPosition(stored);
  // A queue that was restored lacks what happened since: no delivery may start before the gates are closed.
  if (passed !== undefined) await closeGates({ store, queue: stored, clock }, passed);
  const owned = new Map<number, Pick<PartitionLease, 'isHeld'>>();
  const worker = openWorker(settings, dependencies, owned);
  const { queue } = worker;
  const { deadlineMs = defaultDeadlineMs } = settings.attempts;
  const fanOut = fanOutUnderLeases(
    leases,
    {
      ...{ store, view, queue, startFrom, count, clock, log },
      onReplayEvent: dependencies.observer?.onReplayEvent,
      handOverMs: deadlineMs + recordedWithinMs,
      isCutOff: worker.isCutOff,
      onOwned: worker.wake,
    },
    owned,
  );
  const retention = startRetention({ ...times, queue: stored, leases, log, clock });
  return {
    queue,
    status: () => ({ fanOut: fanOut.status(), worker: worker.status() }),
    async stop(timeoutMs) {
      await Promise.all([fanOut.stop(), worker.stop(timeoutMs), retention.stop()]);
    },
  };
}

function openWorker(
  { attempts, failingPolicy, sendTraceparent = false, otherInstances = false }: DeliverySettings,
  { store, queue, masterKeys, guard, observer = {}, log }: DeliveryDependencies,
  owned: OwnedPartitions,
) {
  const { concurrency, perHost = defaultPerHost(concurrency), deadlineMs = defaultDeadlineMs } = attempts;
  const transforms = transformer();
  const pools = listenerPools({ connect: guard.connect, connections: perHost, maxPools: Math.max(concurrency, 500) });
  const notifyChange = notifyQueue(queue, clock);
  const gates = workerGates();
  const barrier = unsubscribeBarrier(gates, queue, otherInstances);
  const worker = startWorker({
    queue,
    gates,
    owned,
    network: { ...pools, namesResolvedAt: guard.namesResolvedAt },
    limits: {
      concurrency,
      perListener: attempts.perListener ?? Math.max(1, Math.floor(concurrency / 4)),
      perOrganisation: attempts.perOrganisation ?? Math.max(1, Math.floor(concurrency / 2)),
      perHost,
      ratePerSecond: attempts.ratePerSecond,
      probeMs: 4 * deadlineMs,
      pollMs: 1_000,
    },
    attempts: {
      post: postThrough(pools),
      transform: transforms.transform,
      headersOf: signedHeaders({
        secretsOf: derivedSecrets(masterKeys),
        userAgent: `Flow-Hooks/${version}`,
        sendTraceparent,
        log,
      }),
      retryPolicy: attempts.retryPolicy ?? defaultRetryPolicy,
      deadlineMs,
    },
    callbacks: {
      ...observer,
      onGone: (delivery) => {
        const end = delivery.secret.expiresAt === undefined ? removeGoneListener : endExpired;
        return end(store, barrier, delivery, causedByService());
      },
      onTroubled: watchTroubledListeners({
        failingPolicy,
        onFailing: (listener) => recordFailingListener({ store, notifyChange }, listener, causedByService()),
        observer,
        log,
        clock,
      }),
    },
    log,
    clock,
  });
  return {
    ...worker,
    queue: queueOfProcess(queue, { wake: worker.wake, barrier, onEnqueued: observer.onEnqueued }),
    async stop(timeoutMs: number) {
      const stopped = worker.stop(timeoutMs);
      transforms.stop(); // waiting evaluations are released: they could take longer than the stop may
      await stopped;
    },
  };
}

type QueueCalls = Pick<Worker, 'wake'> &
  Pick<AttemptObserver, 'onEnqueued'> & { barrier: ReturnType<typeof unsubscribeBarrier> };

/** Attempts at once deliveries that become due by a call of this process, and starts no post to a listener whose gate it closes. */
function queueOfProcess(queue: DeliveryQueue, { wake, barrier, onEnqueued }: QueueCalls): DeliveryQueue {
  return {
    ...queue,
    async enqueue(batch, now) {
      const { added } = await queue.enqueue(batch, now);
      onEnqueued?.(added);
      if (added + batch.listeners.length + (batch.released ?? []).length > 0) wake();
      return { added };
    },
    async redeliver(...query) {
      const redelivered = await queue.redeliver(...query);
      wake();
      return redelivered;
    },
    withdraw: (withdrawal) =>
      'listenerId' in withdrawal ? barrier.close(withdrawal.listenerId) : queue.withdraw(withdrawal),
  };
}
