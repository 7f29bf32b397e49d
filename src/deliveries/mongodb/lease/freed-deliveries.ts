import { updateEach } from '../../../stores/mongodb/bulk-writes.js';
import type { Collections, DeliveryRow } from '../collections.js';
import type { StoredGates } from '../listeners/gates.js';
import { type Times, toQueueTime } from '../server-clock.js';

/** Times by listener ID at which another delivery of the listener may be leased, in milliseconds since 1970. */
export type DueTimes = ReadonlyMap<string, number>;

/**
 * Moves listeners' due hints forward, after their deliveries were written. If the gate has closed meanwhile, or the listener is
 * paused, the deliveries are cancelled or held instead, since that step may have run before they were written.
 */
export function openWakeListeners({ listeners }: Collections, gates: StoredGates): (due: DueTimes) => Promise<void> {
  return async (due) => {
    if (due.size === 0) return;
    const updates = [...due].map(([_id, at]) => ({
      filter: { _id, closed: false, paused: { $ne: true } },
      update: { $min: { nextDue: new Date(at) }, $inc: { hintVersion: 1 } },
    }));
    const { matchedCount } = await updateEach(listeners, updates);
    if (matchedCount < due.size) await gates.withdrawBehind([...due.keys()]);
  };
}

/** A waiting delivery whose lease has ended and that still has its `leaseCheckAt`. */
export type Freed = Pick<DeliveryRow, '_id' | 'listenerId' | 'leasableAt'>;

export type FreedDeliveries = {
  /** Moves the listeners' due hints forward, after their deliveries were written. */
  wake: (due: DueTimes) => Promise<void>;
  /**
   * Moves the listeners' due hints forward. An interrupted call is completed by the lease check, when the leases would
   * expire.
   */
  announce: (freed: readonly Freed[]) => Promise<void>;
  /** Frees deliveries whose leases have expired, and announces them and those that were not announced in time. */
  checkLeases: (times: Times) => Promise<LeaseCheck>;
};

export type LeaseCheck = {
  freed: number;
  /** Time of the next lease check, in the callers' time. */
  nextAt: number | undefined;
};

/** Maximum number of deliveries that one command frees, to bound its duration. */
const batchSize = 1_000;
const earliestFirst = { leaseCheckAt: 1 } as const;

export function openFreedDeliveries(
  { deliveries }: Collections,
  wakeListeners: (due: DueTimes) => Promise<void>,
): FreedDeliveries {
  async function announce(freed: readonly Freed[]): Promise<void> {
    if (freed.length === 0) return;
    const due = new Map<string, number>();
    for (const { listenerId, leasableAt } of freed) {
      due.set(listenerId, Math.min(leasableAt.getTime(), due.get(listenerId) ?? Number.POSITIVE_INFINITY));
    }
    await wakeListeners(due);
    // Not if it has been leased again meanwhile: then `leaseCheckAt` belongs to the new lease.
    await deliveries.updateMany({ ...idsOf(freed), lease: { $exists: false } }, { $unset: { leaseCheckAt: '' } });
  }

  /** Time of the next lease check, in server time. */
  async function nextAt(): Promise<Date | undefined> {
    const earliest = { sort: earliestFirst, projection: { leaseCheckAt: 1 } } as const;
    return (await deliveries.findOne({ leaseCheckAt: { $gte: new Date(0) } }, earliest))?.leaseCheckAt;
  }

  /** Deliveries whose leases have expired are due now. */
  async function free(
    overdue: readonly (Freed & Pick<DeliveryRow, 'lease'>)[],
    times: Times,
  ): Promise<readonly Freed[]> {
    const now = new Date(times.now);
    const leased = overdue.filter(({ lease }) => lease !== undefined);
    if (leased.length > 0) {
      await deliveries.updateMany(
        { ...idsOf(leased), leaseCheckAt: { $lte: new Date(times.serverNow) }, lease: { $exists: true } },
        { $set: { leasableAt: now }, $unset: { lease: '', redeliveryRequestedAt: '' } },
      );
    }
    return overdue.map(({ lease, ...row }) => (lease === undefined ? row : { ...row, leasableAt: now }));
  }

  return {
    wake: wakeListeners,
    announce,
    async checkLeases(times) {
      const { serverNow } = times;
      let freed = 0;
      for (;;) {
        const next = await nextAt();
        if (next === undefined) return { freed, nextAt: undefined };
        if (next.getTime() > serverNow) return { freed, nextAt: toQueueTime(next, times).getTime() };
        const overdue = await deliveries
          .find({ leaseCheckAt: { $lte: new Date(serverNow) } })
          .project<Freed & Pick<DeliveryRow, 'lease'>>({ listenerId: 1, leasableAt: 1, lease: 1 })
          .sort(earliestFirst)
          .limit(batchSize)
          .toArray();
        await announce(await free(overdue, times));
        freed += overdue.length;
      }
    },
  };
}

const idsOf = (freed: readonly Freed[]) => ({ _id: { $in: freed.map(({ _id }) => _id) } });
