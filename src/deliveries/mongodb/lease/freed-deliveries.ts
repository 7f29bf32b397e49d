import type { Collections, DeliveryRow } from '../collections.js';
import { callersTime, type Times } from '../server-clock.js';
import type { DueTimes } from './wake-hooks.js';

/** A delivery that waits and is under no lease any more, but still has its `recheckAt`. */
export type Freed = Pick<DeliveryRow, '_id' | 'listenerId' | 'freeAt'>;

export type FreedDeliveries = {
  /** Makes hooks' hints know of them. Cut short, it is completed when the leases that were on them would have ended. */
  readonly announce: (freed: readonly Freed[]) => Promise<void>;
  /** Frees and announces what is under leases that have run out, and what was not announced in time. */
  readonly recheck: (times: Times) => Promise<Rechecked>;
};

export type Rechecked = {
  readonly freed: number;
  /** When there is something to recheck next, in the callers' time. */
  readonly nextAt: number | undefined;
};

/** One command rechecks so many at most. */
const stepSize = 1_000;
const first = { recheckAt: 1 } as const;

export function freedDeliveries(
  { deliveries }: Collections,
  wakeHooks: (due: DueTimes) => Promise<void>,
): FreedDeliveries {
  async function announce(freed: readonly Freed[]): Promise<void> {
    if (freed.length === 0) return;
    const due = new Map<string, number>();
    for (const { listenerId, freeAt } of freed) {
      due.set(listenerId, Math.min(freeAt.getTime(), due.get(listenerId) ?? Number.POSITIVE_INFINITY));
    }
    await wakeHooks(due);
    // Not where it has been leased again meanwhile: then that lease is what has to be rechecked.
    await deliveries.updateMany({ ...idsOf(freed), lease: { $exists: false } }, { $unset: { recheckAt: '' } });
  }

  /** When the first of them is to be rechecked, in the server's time. */
  async function nextAt(): Promise<Date | undefined> {
    const earliest = { sort: first, projection: { recheckAt: 1 } } as const;
    return (await deliveries.findOne({ recheckAt: { $gte: new Date(0) } }, earliest))?.recheckAt;
  }

  /** Those whose leases have run out are due as of now. */
  async function free(
    overdue: readonly (Freed & Pick<DeliveryRow, 'lease'>)[],
    times: Times,
  ): Promise<readonly Freed[]> {
    const now = new Date(times.now);
    const leased = overdue.filter(({ lease }) => lease !== undefined);
    if (leased.length > 0) {
      await deliveries.updateMany(
        { ...idsOf(leased), recheckAt: { $lte: new Date(times.moment) }, lease: { $exists: true } },
        { $set: { freeAt: now }, $unset: { lease: '', again: '' } },
      );
    }
    return overdue.map(({ lease, ...row }) => (lease === undefined ? row : { ...row, freeAt: now }));
  }

  return {
    announce,
    async recheck(times) {
      const { moment } = times;
      let freed = 0;
      for (;;) {
        const next = await nextAt();
        if (next === undefined) return { freed, nextAt: undefined };
        if (next.getTime() > moment) return { freed, nextAt: callersTime(next, times).getTime() };
        const overdue = await deliveries
          .find({ recheckAt: { $lte: new Date(moment) } })
          .project<Freed & Pick<DeliveryRow, 'lease'>>({ listenerId: 1, freeAt: 1, lease: 1 })
          .sort(first)
          .limit(stepSize)
          .toArray();
        await announce(await free(overdue, times));
        freed += overdue.length;
      }
    },
  };
}

const idsOf = (freed: readonly Freed[]) => ({ _id: { $in: freed.map(({ _id }) => _id) } });
