import { version } from '../kernel/version.js';
import { endExpired } from '../listeners/agents/end-expired.js';
import { type EndingDependencies, endListener } from '../listeners/commands/end-listener.js';
import { recordFailingListener } from '../listeners/commands/failing-listener.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import { defaultPerHost } from '../queue/policy/fair-sharing.js';
import type { OwnedPartitions } from '../queue/policy/partition.js';
import { defaultRetryPolicy } from '../queue/policy/retry-policy.js';
import { causedByService } from '../stores/event-store/codec.js';
import { type DeliveryDependencies, type DeliverySettings, defaultDeadlineMs } from './delivery-settings.js';
import { notifyQueue } from './fan-out/queued-listener.js';
import { listenerPools } from './posting/listener-pools.js';
import { postThrough } from './posting/post.js';
import { transformer } from './transforms/transformer.js';
import { unsubscribeBarrier, workerGates } from './worker/gates.js';
import { derivedSecrets, signedHeaders } from './worker/signed-headers.js';
import { watchTroubledListeners } from './worker/troubled-listeners.js';
import { startWorker, type Worker } from './worker/worker.js';
import type { AttemptObserver, WorkerSettings } from './worker/worker-settings.js';

/** The worker, and the queue for callers in this process: its worker attempts at once what they make due. */
type OpenedWorker = Worker & { queue: DeliveryQueue };

const clock = Date.now;

/** Starts the worker with its connections, gates, transformations and signatures, and with the effects of outcomes on listeners. */
export function openWorker(
  settings: DeliverySettings,
  { store, queue, masterKeys, guard, observer = {}, log }: DeliveryDependencies,
  owned: OwnedPartitions,
): OpenedWorker {
  const { failingPolicy, sendTraceparent = false, otherInstances = false } = settings;
  const { retryPolicy = defaultRetryPolicy, deadlineMs = defaultDeadlineMs } = settings.attempts;
  const limits = limitsOf(settings.attempts);
  const { concurrency, perHost: connections } = limits;
  const pools = listenerPools({ connect: guard.connect, connections, maxPools: Math.max(concurrency, 500) });
  const transforms = transformer();
  const gates = workerGates();
  const barrier = unsubscribeBarrier(gates, queue, otherInstances);
  const notifyChange = notifyQueue(queue, clock);
  const userAgent = `Flow-Hooks/${version}`;
  const headersOf = signedHeaders({ secretsOf: derivedSecrets(masterKeys), userAgent, sendTraceparent, log });
  const onTroubled = watchTroubledListeners({
    failingPolicy,
    onFailing: (listener) => recordFailingListener({ store, notifyChange }, listener, causedByService()),
    observer,
    log,
    clock,
  });
  const worker = startWorker({
    queue,
    gates,
    owned,
    network: { ...pools, namesResolvedAt: guard.namesResolvedAt },
    limits,
    attempts: { post: postThrough(pools), transform: transforms.transform, headersOf, retryPolicy, deadlineMs },
    callbacks: { onAttempted: observer.onAttempted, onGone: endGoneListener({ store, barrier }), onTroubled },
    log,
    clock,
  });
  return {
    ...worker,
    queue: queueOfProcess(queue, { worker, barrier, onEnqueued: observer.onEnqueued }),
    async stop(timeoutMs) {
      const stopped = worker.stop(timeoutMs);
      transforms.stop(); // waiting evaluations are released: they could take longer than the stop may
      await stopped;
    },
  };
}

/** A listener may use a quarter of the slots, and an organisation half, so that a slow one leaves capacity for others. */
const limitsOf = ({ concurrency, ...given }: DeliverySettings['attempts']): WorkerSettings['limits'] => ({
  concurrency,
  perListener: given.perListener ?? Math.max(1, Math.floor(concurrency / 4)),
  perOrganisation: given.perOrganisation ?? Math.max(1, Math.floor(concurrency / 2)),
  perHost: given.perHost ?? defaultPerHost(concurrency),
  ratePerSecond: given.ratePerSecond,
  probeMs: 4 * (given.deadlineMs ?? defaultDeadlineMs),
  pollMs: 1_000,
});

/** Ends a listener that answered 410, and a subscription of an agent that has expired. */
const endGoneListener =
  (dependencies: EndingDependencies): WorkerSettings['callbacks']['onGone'] =>
  async (delivery) => {
    const { orgId, hookUrl, listenerId, secret } = delivery;
    if (secret.expiresAt !== undefined) return endExpired(dependencies, delivery, causedByService());
    await endListener(dependencies, { reason: 'gone', orgId, hookUrl, listenerId }, causedByService());
  };

type ProcessParts = {
  worker: Worker;
  barrier: ReturnType<typeof unsubscribeBarrier>;
  onEnqueued: AttemptObserver['onEnqueued'];
};

/** Attempts at once deliveries that become due by a call of this process, and starts no post to a listener whose gate it closes. */
const queueOfProcess = (queue: DeliveryQueue, { worker, barrier, onEnqueued }: ProcessParts): DeliveryQueue => ({
  ...queue,
  async enqueue(batch, now) {
    const { added } = await queue.enqueue(batch, now);
    onEnqueued?.(batch.deliveries.slice(0, added).map(({ orgId }) => orgId)); // those that are known come with a repeated batch alone
    if (added + batch.listeners.length + (batch.released ?? []).length > 0) worker.wake();
    return { added };
  },
  async redeliver(...query) {
    const redelivered = await queue.redeliver(...query);
    worker.wake();
    return redelivered;
  },
  withdraw: (withdrawal) =>
    'listenerId' in withdrawal ? barrier.close(withdrawal.listenerId) : queue.withdraw(withdrawal),
});
