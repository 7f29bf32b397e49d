import { insertNew } from '../../mongodb/insert-new.js';
import type { Collections, TargetRow } from './collections.js';
import type { Tally } from './tally.js';

/** The durable gates. */
export type Gates = {
  /** Closes them for good and cancels what waits behind them. Returns how many deliveries that were. */
  readonly close: (listenerIds: readonly string[]) => Promise<number>;
  /** Which of them are not known to be open: one that the database has lost counts as closed. */
  readonly notOpen: (listenerIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** What was added while its gate closed, and so missed by that. Returns how many deliveries that were. */
  readonly cancelBehindClosed: (listenerIds: readonly string[]) => Promise<number>;
};

/** One command cancels so many at most: none of them keeps others waiting for long. */
const stepSize = 1_000;

export function openGates({ targets, deliveries }: Collections, tally: Tally): Gates {
  async function close(listenerIds: readonly string[]): Promise<number> {
    if (listenerIds.length === 0) return 0;
    const shut = () =>
      targets.updateMany({ _id: { $in: listenerIds } }, { $set: { closed: true }, $unset: { nextDue: '' } });
    const { matchedCount } = await shut();
    if (matchedCount < new Set(listenerIds).size) {
      await insertNew<TargetRow>(
        targets,
        listenerIds.map((_id) => ({ _id, position: -1n, closed: true, wakes: 0 })),
      );
      await shut(); // those whose first delivery came in between
    }
    return cancelWaiting(listenerIds);
  }

  /** A lease stays on what is cancelled under it: what that attempt brings is still written down. */
  async function cancelWaiting(listenerIds: readonly string[]): Promise<number> {
    const behind = { state: 'waiting', listenerId: { $in: listenerIds } } as const;
    let cancelled = 0;
    for (;;) {
      const found = await deliveries.find(behind).project<{ _id: string }>({ _id: 1 }).limit(stepSize).toArray();
      if (found.length === 0) return cancelled;
      const { modifiedCount } = await deliveries.updateMany(
        { _id: { $in: found.map(({ _id }) => _id) }, state: 'waiting' },
        { $set: { state: 'cancelled' }, $unset: { dueAt: '', recheckAt: '' } },
      );
      cancelled += modifiedCount;
      await tally.add({ waiting: -modifiedCount, cancelled: modifiedCount });
    }
  }

  async function idsWhere(closed: boolean, listenerIds: readonly string[]): Promise<ReadonlySet<string>> {
    const found = targets.find({ _id: { $in: listenerIds }, closed }).project<{ _id: string }>({ _id: 1 });
    return new Set((await found.toArray()).map(({ _id }) => _id));
  }

  return {
    close,
    async notOpen(listenerIds) {
      const open = await idsWhere(false, listenerIds);
      return new Set(listenerIds.filter((listenerId) => !open.has(listenerId)));
    },
    async cancelBehindClosed(listenerIds) {
      const closed = await idsWhere(true, listenerIds);
      return closed.size === 0 ? 0 : cancelWaiting([...closed]);
    },
  };
}
