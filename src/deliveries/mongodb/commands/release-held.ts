import type { Released } from '../../queue/leasing.js';
import type { Collections } from '../collections.js';
import type { FreedDeliveries } from '../lease/freed-deliveries.js';
import type { ListedRow } from '../log/list-deliveries.js';
import type { ServerClock } from '../server-clock.js';
import type { Tally } from '../tally.js';
import { dueNow, isLeased, unchanged } from './make-due.js';

type Parts = { readonly tally: Tally; readonly freed: FreedDeliveries; readonly clock: ServerClock };

/** Maximum number of deliveries released by one command, to bound its duration. */
const batchSize = 1_000;

/** Makes a listener's held deliveries due, the earliest flow event first, as long as the listener is not paused. Repeatable. */
export function heldReleaser(
  { listeners, deliveries }: Collections,
  { tally, freed, clock }: Parts,
): (released: Released, now: number) => Promise<void> {
  const served = (_id: string) =>
    listeners.findOne({ _id, closed: false, paused: { $ne: true } }, { projection: { _id: 1 } });

  return async ({ listenerId, before }, now) => {
    while (await served(listenerId)) {
      const rows = await deliveries
        .find({ listenerId, state: 'held', position: { $lt: before } })
        .project<ListedRow>({ log: 0 })
        .sort({ position: 1, _id: 1 })
        .limit(batchSize)
        .toArray();
      if (rows.length === 0) return;
      const times = { now, serverNow: await clock.now() };
      // Ordered: a concurrent lease then finds no delivery before its predecessors.
      const { modifiedCount } = await deliveries.bulkWrite(
        rows.map((row) => ({ updateOne: { filter: unchanged(row), update: dueNow(row, times) } })),
        { ordered: true },
      );
      await tally.add({ held: -modifiedCount, waiting: modifiedCount });
      const free = rows.filter((row) => !isLeased(row, times));
      await freed.announce(free.map(({ _id }) => ({ _id, listenerId, leasableAt: new Date(now) })));
    }
  };
}
