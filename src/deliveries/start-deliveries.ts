import type { Logger } from 'pino';
import type { MasterKeys } from '../access/keys/master-keys.js';
import { version } from '../kernel/version.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { Leases } from '../stores/leases/leases.js';
import type { FanOutStatus } from './fan-out/fan-out.js';
import { fanOutUnderLease } from './fan-out/fan-out.js';
import type { RegisteredAt } from './fan-out/listeners.js';
import { listenerPools } from './posting/listener-pools.js';
import { poster } from './posting/post.js';
import type { DeliveryQueue } from './queue/delivery-queue.js';
import type { LeasedDelivery } from './queue/leasing.js';
import { defaultRetryPolicy, type RetryPolicy } from './queue/policy/retry-policy.js';
import type { TargetGuard } from './target-guard/target-guard.js';
import { transformer } from './transforms/transformer.js';
import { defaultPerHost, hostSemaphore } from './worker/host-semaphore.js';
import { derivedSecrets } from './worker/signing-secrets.js';
import { type TroubledListenersSettings, watchTroubledListeners } from './worker/troubled-listeners.js';
import { unsubscribeBarrier } from './worker/unsubscribe-barrier.js';
import { startWorker, type WorkerStatus } from './worker/worker.js';
import { workerGates } from './worker/worker-gates.js';
import type { WorkerSettings } from './worker/worker-settings.js';

type AttemptSettings = {
  /** Maximum number of concurrent attempts. */
  readonly concurrency: number;
  /** Maximum number of them to one listener; by default a quarter, so that a slow listener leaves room for others. */
  readonly perListener?: number;
  /** Maximum number of them to the listeners of one organisation; by default half. */
  readonly perOrganisation?: number;
  /** Maximum number of concurrent requests to one host; by default `defaultPerHost`. */
  readonly perHost?: number | undefined;
  /** Maximum number of deliveries per second to a listener that has no limit of its own; undefined: no limit. */
  readonly ratePerSecond?: number | undefined;
  /** Sends `traceparent` (W3C Trace Context) to listeners; by default not. */
  readonly sendTraceparent?: boolean;
  /** Maximum duration of one attempt, with connecting and the body of the answer; by default 15 s. */
  readonly deadlineMs?: number;
  readonly retryPolicy?: RetryPolicy;
};

export type DeliveriesOptions = {
  readonly store: EventStore;
  readonly queue: DeliveryQueue;
  /** All periods of an organisation's listeners that held at this position. */
  readonly registeredAt: RegisteredAt;
  /** Resolves once the listeners view holds everything up to this position; rejects when the signal aborts. */
  readonly viewPassed: (position: bigint, signal: AbortSignal) => Promise<void>;
  readonly masterKeys: MasterKeys;
  readonly guard: TargetGuard;
  /** Ends the listener with this listener ID, whose listener answered 410. Repeated until it resolves. */
  readonly onGone: (delivery: LeasedDelivery) => Promise<void>;
  /** Called after each attempt. */
  readonly onAttempted?: WorkerSettings['onAttempted'];
  /** See `watchTroubledListeners`. */
  readonly troubledListeners: Omit<TroubledListenersSettings, 'log' | 'clock'>;
  readonly log: Logger;
  readonly settings: AttemptSettings;
  /** Position after which the fan-out begins if the queue has no checkpoint. Undefined: it waits for an operator. */
  readonly startFrom?: bigint | undefined;
  /** Other instances post too: unsubscribing then waits until their permits have expired. */
  readonly otherInstances?: boolean;
  /** The instance that holds the lease fans out. */
  readonly leases: Leases;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
};

export type DeliveriesStatus = {
  readonly fanOut: FanOutStatus;
  readonly worker: WorkerStatus;
};

export type Deliveries = {
  readonly barrier: ReturnType<typeof unsubscribeBarrier>;
  readonly status: () => DeliveriesStatus;
  /** Deliveries may have become due. */
  readonly wake: () => void;
  /** Leases nothing new and waits for current attempts, for at most `timeoutMs`. The queue stays open. */
  readonly stop: (timeoutMs: number) => Promise<void>;
  /** Aborts everything; deliveries of aborted attempts are delivered again at the next start. */
  readonly abort: () => void;
};

const deadlineMs = 15_000;
const pollMs = 1_000;

/** Starts the fan-out, which fills the queue, and the worker, which empties it. */
export function startDeliveries(options: DeliveriesOptions): Deliveries {
  const { queue, masterKeys, guard, settings, clock = Date.now } = options;
  const { concurrency, ratePerSecond } = settings;
  const half = Math.max(1, Math.floor(concurrency / 2));
  const perHost = settings.perHost ?? defaultPerHost(concurrency);
  const gates = workerGates();
  const transforms = transformer();
  const pools = listenerPools({ connect: guard.connect, connections: perHost, maxPools: Math.max(concurrency, 500) });
  const deadline = settings.deadlineMs ?? deadlineMs;

  const worker = startWorker({
    queue,
    gates,
    pools,
    clock,
    concurrency,
    pollMs,
    ratePerSecond,
    hostSemaphore: hostSemaphore({ perHost }),
    post: poster(pools),
    transform: transforms.transform,
    namesResolvedAt: guard.namesResolvedAt,
    secretsOf: derivedSecrets(masterKeys),
    retryPolicy: settings.retryPolicy ?? defaultRetryPolicy,
    deadlineMs: deadline,
    userAgent: `Flow-Hooks/${version}`,
    sendTraceparent: settings.sendTraceparent,
    onGone: options.onGone,
    onAttempted: options.onAttempted,
    onTroubled: watchTroubledListeners({ ...options.troubledListeners, log: options.log, clock }),
    log: options.log,
    perListener: settings.perListener ?? Math.max(1, Math.floor(concurrency / 4)),
    perOrganisation: settings.perOrganisation ?? half,
    leaseMs: 4 * deadline,
  });
  const fanOut = fanOutUnderLease(options.leases, {
    ...options,
    clock,
    queue: { ...queue, enqueue: worker.enqueueAndStart },
  });

  return {
    barrier: unsubscribeBarrier(gates, queue, options.otherInstances ?? false),
    wake: worker.wake,
    status: () => ({ fanOut: fanOut.status(), worker: worker.status() }),
    async stop(timeoutMs) {
      const stopped = Promise.all([fanOut.stop(), worker.stop(timeoutMs)]);
      transforms.stop(); // what waits for an evaluation is given back: it could take longer than the stop may
      await stopped;
    },
    abort() {
      void fanOut.stop();
      worker.abort();
      transforms.stop();
    },
  };
}
