import type { Filter } from 'mongodb';
import type { DeliveryState } from '../../queue/delivery.js';
import type { Collections, DeliveryRow } from '../collections.js';
import type { Tally } from '../tally.js';

type Withdrawal = {
  readonly from: 'waiting' | 'held';
  readonly to: 'held' | 'cancelled';
  /** Selects among the deliveries in the state `from`. */
  readonly of: Filter<Pick<DeliveryRow, 'listenerId' | 'replay' | 'position'>>;
};

/** Moves waiting deliveries to held, or waiting and held ones to cancelled. Returns their number. Repeatable. */
export type Withdraw = (withdrawal: Withdrawal) => Promise<number>;

/** Maximum number of deliveries withdrawn by one command, so that it does not delay other commands for long. */
const batchSize = 1_000;

/** A withdrawn delivery keeps its lease: the outcome of the attempt under way is still recorded. */
export function withdrawer({ deliveries }: Pick<Collections, 'deliveries'>, tally: Tally): Withdraw {
  return async ({ from, to, of }) => {
    let withdrawn = 0;
    for (;;) {
      const found = await deliveries
        .find({ ...of, state: from } as Filter<DeliveryRow>) // both are conditions on its fields
        .project<{ _id: string }>({ _id: 1 })
        .limit(batchSize)
        .toArray();
      if (found.length === 0) return withdrawn;
      // One update per document: the driver does not retry updates of several documents when the primary steps down.
      const { modifiedCount } = await deliveries.bulkWrite(
        found.map(({ _id }) => ({ updateOne: { filter: { _id, state: from }, update: withdrawnTo(to) } })),
        { ordered: false },
      );
      withdrawn += modifiedCount;
      await tally.add({ [from]: -modifiedCount, [to]: modifiedCount });
    }
  };
}

/** `endedAt` is in server time, since the callers give no time. */
const withdrawnTo = (state: DeliveryState) => ({
  $set: { state },
  $unset: { dueAt: '', leaseCheckAt: '' } as const,
  ...(state === 'cancelled' && { $currentDate: { endedAt: true } as const }),
});
