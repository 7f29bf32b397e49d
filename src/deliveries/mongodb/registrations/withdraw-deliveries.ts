import type { Filter } from 'mongodb';
import type { DeliveryState } from '../../queue/delivery.js';
import type { Collections, DeliveryRow } from '../collections.js';
import type { Tally } from '../tally.js';

export type Withdrawal = {
  readonly from: 'waiting' | 'held';
  readonly to: 'held' | 'cancelled';
  /** Which of those in the state that it is `from`. */
  readonly of: Filter<Pick<DeliveryRow, 'listenerId' | 'replay' | 'position'>>;
};

/** Takes deliveries out of what waits or is held. Returns how many those were. Repeatable. */
export type Withdraw = (withdrawal: Withdrawal) => Promise<number>;

/** One command takes so many at most: none of them keeps others waiting for long. */
const stepSize = 1_000;

/** A lease stays on what is withdrawn under it: what that attempt brings is still written down. */
export function withdrawer({ deliveries }: Pick<Collections, 'deliveries'>, tally: Tally): Withdraw {
  return async ({ from, to, of }) => {
    let withdrawn = 0;
    for (;;) {
      const found = await deliveries
        .find({ ...of, state: from } as Filter<DeliveryRow>) // both are conditions on its fields
        .project<{ _id: string }>({ _id: 1 })
        .limit(stepSize)
        .toArray();
      if (found.length === 0) return withdrawn;
      // One by one: what changes several documents the driver does not repeat where the primary steps down.
      const { modifiedCount } = await deliveries.bulkWrite(
        found.map(({ _id }) => ({ updateOne: { filter: { _id, state: from }, update: withdrawnTo(to) } })),
        { ordered: false },
      );
      withdrawn += modifiedCount;
      await tally.add({ [from]: -modifiedCount, [to]: modifiedCount });
    }
  };
}

/** When it ended is the server's time: whoever ends it does not say. */
const withdrawnTo = (state: DeliveryState) => ({
  $set: { state },
  $unset: { dueAt: '', recheckAt: '' } as const,
  ...(state === 'cancelled' && { $currentDate: { endedAt: true } as const }),
});
