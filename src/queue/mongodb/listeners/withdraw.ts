import type { Filter } from 'mongodb';
import { insertNew, updateEach } from '../../../stores/mongodb/bulk-writes.js';
import type { DeliveryState, NewDelivery } from '../../delivery.js';
import type { Collections, DeliveryRow } from '../collections.js';
import type { Statistics } from '../outcomes/statistics.js';

type Withdrawal = {
  from: 'waiting' | 'held';
  to: 'held' | 'cancelled';
  /** Selects among the deliveries in the state `from`. */
  of: Filter<Pick<DeliveryRow, 'listenerId' | 'replay' | 'position'>>;
};

/** Moves waiting deliveries to held, or waiting and held ones to cancelled. Returns their number. Repeatable. */
export type Withdraw = (withdrawal: Withdrawal) => Promise<number>;

/** Maximum number of deliveries withdrawn by one command, so that it does not delay other commands for long. */
const batchSize = 1_000;

/** The outcome of a withdrawn delivery that is under way is still recorded. */
export function openWithdraw({ deliveries }: Pick<Collections, 'deliveries'>, statistics: Statistics): Withdraw {
  return async ({ from, to, of }) => {
    let withdrawn = 0;
    for (;;) {
      const found = await deliveries
        .find({ ...of, state: from } as Filter<DeliveryRow>) // both are conditions on its fields
        .project<{ _id: string }>({ _id: 1 })
        .limit(batchSize)
        .toArray();
      if (found.length === 0) return withdrawn;
      const { modifiedCount } = await updateEach(
        deliveries,
        found.map(({ _id }) => ({ filter: { _id, state: from }, update: withdrawnTo(to) })),
      );
      withdrawn += modifiedCount;
      statistics.addStates({ [from]: -modifiedCount, [to]: modifiedCount });
    }
  };
}

/** `endedAt` is in server time, since the callers give no time. */
const withdrawnTo = (state: DeliveryState) => ({
  $set: { state },
  $unset: { dueAt: '', unannounced: '' } as const,
  ...(state === 'cancelled' && { $currentDate: { endedAt: true } as const }),
});

export type Replays = ReturnType<typeof openReplays>;

/** Cancelled replays. */
export function openReplays({ cancelledReplays }: Collections, withdraw: Withdraw) {
  async function withdrawAll(replays: ReadonlySet<string>): Promise<number> {
    if (replays.size === 0) return 0;
    const of = { replay: { $in: [...replays] } };
    return (
      (await withdraw({ from: 'waiting', to: 'cancelled', of })) +
      (await withdraw({ from: 'held', to: 'cancelled', of }))
    );
  }

  return {
    /** Cancels the waiting and held deliveries of a replay. Returns their number. */
    async cancel(replay: string): Promise<number> {
      await insertNew(cancelledReplays, [{ _id: replay }]);
      return withdrawAll(new Set([replay]));
    },
    /** The cancelled ones of the replays that these deliveries belong to. */
    async cancelledOf(deliveries: readonly NewDelivery[]): Promise<ReadonlySet<string>> {
      const replays = new Set(deliveries.flatMap(({ replay }) => replay ?? []));
      if (replays.size === 0) return replays;
      const cancelled = await cancelledReplays.find({ _id: { $in: [...replays] } }).toArray();
      return new Set(cancelled.map(({ _id }) => _id));
    },
    /** Cancels deliveries that were added while their replays were being cancelled. Returns their number. */
    withdraw: withdrawAll,
  };
}
