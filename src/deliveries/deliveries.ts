import type { DeliveryQueue } from '../queue/delivery-queue.js';
import { startRetention } from '../queue/retention.js';
import {
  type DeliveryDependencies,
  type DeliverySettings,
  defaultDeadlineMs,
  fanOutPartitionsOf,
} from './delivery-settings.js';
import type { FanOutStatus } from './fan-out/fan-out.js';
import { closeGates } from './fan-out/fan-out-beginning.js';
import { fanOutUnderLeases } from './fan-out/fan-out-under-leases.js';
import { fanOutPosition, type PartitionLease, requirePartitions } from './fan-out/partitions.js';
import { openWorker } from './open-worker.js';
import type { WorkerStatus } from './worker/worker.js';

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

/** Time after the deadline of an attempt in which its outcome is recorded, as a rule. */
const recordedWithinMs = 5_000;

/** Starts the fan-out, which fills the queue, the worker, which empties it, and the removal of old deliveries. */
export async function deliveries(
  settings: DeliverySettings,
  dependencies: DeliveryDependencies,
): Promise<RunningDeliveries> {
  const { store, view, queue, leases, log } = dependencies;
  const { attempts, retention: times } = settings;
  const count = fanOutPartitionsOf(settings);
  const startFrom = settings.startFrom === 'end' ? await store.head() : settings.startFrom;
  await requirePartitions(queue, count);
  const passed = await fanOutPosition(queue);
  // A queue that was restored lacks what happened since: no delivery may start before the gates are closed.
  if (passed !== undefined) await closeGates({ store, queue, clock }, passed);
  const owned = new Map<number, Pick<PartitionLease, 'isHeld'>>();
  const worker = openWorker(settings, dependencies, owned);
  const fanOut = fanOutUnderLeases(
    leases,
    {
      store,
      view,
      queue: worker.queue,
      startFrom,
      count,
      clock,
      log,
      onReplayEvent: dependencies.observer?.onReplayEvent,
      handOverMs: (attempts.deadlineMs ?? defaultDeadlineMs) + recordedWithinMs,
      isCutOff: worker.isCutOff,
      onOwned: worker.wake,
    },
    owned,
  );
  const retention = startRetention({ ...times, queue, leases, log, clock });
  return {
    queue: worker.queue,
    status: () => ({ fanOut: fanOut.status(), worker: worker.status() }),
    async stop(timeoutMs) {
      await Promise.all([fanOut.stop(), worker.stop(timeoutMs), retention.stop()]);
    },
  };
}
