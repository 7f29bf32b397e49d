import { insertNew } from '../../../stores/mongodb/insert-new.js';
import type { Collections, TargetRow } from '../collections.js';
import { primaryConfirmer } from '../confirm-primary.js';
import type { Withdraw } from './withdraw-deliveries.js';

/** The durable gates, and the pauses of hooks. */
export type Gates = {
  /** Closes them for good and cancels what waits or is held behind them. Returns how many deliveries that were. */
  readonly close: (listenerIds: readonly string[]) => Promise<number>;
  /**
   * Which of them are not known to be open: one that the database has lost counts as closed. One that is open was so at a
   * moment after the call, also where primaries change meanwhile.
   */
  readonly notOpen: (listenerIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Cancels what was added while its gate closed, and holds what waits for a hook that is paused. Repeatable. */
  readonly withdrawBehind: (listenerIds: readonly string[]) => Promise<void>;
};

const shutting = { $set: { closed: true }, $unset: { nextDue: '', dueSince: '', health: '', turn: '' } } as const;

export function openGates({ targets, primary }: Pick<Collections, 'targets' | 'primary'>, withdraw: Withdraw): Gates {
  const confirmPrimary = primaryConfirmer({ primary });

  async function close(listenerIds: readonly string[]): Promise<number> {
    if (listenerIds.length === 0) return 0;
    // One by one: what changes several documents the driver does not repeat where the primary steps down.
    const shut = () =>
      targets.bulkWrite(
        listenerIds.map((_id) => ({ updateOne: { filter: { _id }, update: shutting } })),
        { ordered: false },
      );
    const { matchedCount } = await shut();
    if (matchedCount < listenerIds.length) {
      await insertNew<TargetRow>(
        targets,
        listenerIds.map((_id) => ({ _id, position: -1n, closed: true, wakes: 0 })),
      );
      await shut(); // those whose first delivery came in between
    }
    return cancelBehind(listenerIds);
  }

  async function cancelBehind(listenerIds: readonly string[]): Promise<number> {
    const of = { listenerId: { $in: listenerIds } };
    return (
      (await withdraw({ from: 'waiting', to: 'cancelled', of })) +
      (await withdraw({ from: 'held', to: 'cancelled', of }))
    );
  }

  async function find(
    condition: Pick<TargetRow, 'closed' | 'paused'>,
    listenerIds: readonly string[],
  ): Promise<readonly Pick<TargetRow, '_id' | 'position'>[]> {
    return targets
      .find({ _id: { $in: listenerIds }, ...condition })
      .project<Pick<TargetRow, '_id' | 'position'>>({ position: 1 })
      .toArray();
  }

  /** What waits is of flow events from before the pause: where it has ended meanwhile, others wait that are none of it. */
  const holdBehind = ({ _id, position }: Pick<TargetRow, '_id' | 'position'>) =>
    withdraw({ from: 'waiting', to: 'held', of: { listenerId: _id, position: { $lte: position } } });

  return {
    close,
    async notOpen(listenerIds) {
      await confirmPrimary(); // or a deposed one would show open what its successor has closed
      const open = new Set((await find({ closed: false }, listenerIds)).map(({ _id }) => _id));
      return new Set(listenerIds.filter((listenerId) => !open.has(listenerId)));
    },
    async withdrawBehind(listenerIds) {
      if (listenerIds.length === 0) return;
      const [closed, paused] = await Promise.all([
        find({ closed: true }, listenerIds),
        find({ closed: false, paused: true }, listenerIds),
      ]);
      if (closed.length > 0) await cancelBehind(closed.map(({ _id }) => _id));
      for (const hook of paused) await holdBehind(hook);
    },
  };
}
