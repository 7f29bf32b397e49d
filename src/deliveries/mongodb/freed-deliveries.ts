import type { Collections, DeliveryRow } from './collections.js';
import type { DueTimes } from './wake-hooks.js';

/** A delivery that waits and is under no lease any more, but still has its `recheckAt`. */
export type Freed = Pick<DeliveryRow, '_id' | 'listenerId' | 'freeAt'>;

export type FreedDeliveries = {
  /** Makes hooks' hints know of them. Cut short, it is completed when the leases that were on them would have ended. */
  readonly announce: (freed: readonly Freed[]) => Promise<void>;
  /** Frees and announces what is under leases that have run out, and what was not announced in time. */
  readonly recheck: (now: number) => Promise<Rechecked>;
};

export type Rechecked = {
  readonly freed: number;
  /** When there is something to recheck next. */
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

  async function nextAt(): Promise<number | undefined> {
    const next = await deliveries.findOne({ recheckAt: { $gte: new Date(0) } }, { sort: first });
    return next?.recheckAt?.getTime();
  }

  return {
    announce,
    async recheck(now) {
      let freed = 0;
      for (;;) {
        const next = await nextAt();
        if (next === undefined || next > now) return { freed, nextAt: next };
        const overdue = { recheckAt: { $lte: new Date(now) } };
        const found = await deliveries.find(overdue).sort(first).limit(stepSize).toArray();
        await deliveries.updateMany({ ...idsOf(found), ...overdue }, { $unset: { lease: '' } });
        await announce(found);
        freed += found.length;
      }
    },
  };
}

const idsOf = (freed: readonly Freed[]) => ({ _id: { $in: freed.map(({ _id }) => _id) } });
