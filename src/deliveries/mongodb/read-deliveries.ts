import type { AttemptReport, DeliveryCounts } from '../delivery-log.js';
import { type HookHealth, healthy } from '../hook-health.js';
import type { Collections, TargetRow } from './collections.js';
import type { Tally } from './tally.js';

export type DeliveryReader = {
  readonly counts: (now: number) => Promise<DeliveryCounts>;
  readonly attempts: (orgId: string, deliveryId: string) => Promise<readonly AttemptReport[]>;
  readonly health: (listenerIds: readonly string[]) => Promise<ReadonlyMap<string, HookHealth>>;
  readonly openBreakers: () => Promise<number>;
};

/** Up to here what waits is counted, by its index; beyond it the tally is told, so that asking costs little at any size. */
const countedUpTo = 10_000;
const breakersUpTo = 1_000;

export function deliveryReader({ targets, deliveries, setAside }: Collections, tally: Tally): DeliveryReader {
  /** As the hints tell: a hook whose deliveries are all under way is not behind. */
  async function oldestDueAt(now: number): Promise<number | undefined> {
    const range = { $gte: new Date(0), $lte: new Date(now) };
    const first = async (field: 'nextDue' | 'dueSince') =>
      (
        await targets
          .find({ [field]: range })
          .sort({ [field]: 1 })
          .limit(1)
          .toArray()
      )[0]?.[field]?.getTime();
    const times = await Promise.all([first('nextDue'), first('dueSince')]);
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  return {
    async counts(now) {
      const limit = countedUpTo;
      const [tallied, waiting, aside, oldest] = await Promise.all([
        tally.read(),
        deliveries.countDocuments({ state: 'waiting' }, { limit }),
        setAside.countDocuments({}, { limit }),
        oldestDueAt(now),
      ]);
      return {
        ...tallied,
        waiting: waiting < limit ? waiting : Math.max(limit, tallied.waiting),
        setAside: aside,
        oldestDueAt: oldest,
      };
    },

    async attempts(orgId, deliveryId) {
      const row = await deliveries.findOne({ _id: deliveryId, orgId }, { projection: { log: 1 } });
      return row?.log ?? [];
    },

    async health(listenerIds) {
      const rows = targets
        .find({ _id: { $in: listenerIds } })
        .project<Pick<TargetRow, '_id' | 'health'>>({ health: 1 });
      return new Map((await rows.toArray()).map(({ _id, health = healthy }) => [_id, health]));
    },

    openBreakers: () => targets.countDocuments({ 'health.breaker.openUntil': { $gte: 0 } }, { limit: breakersUpTo }),
  };
}
