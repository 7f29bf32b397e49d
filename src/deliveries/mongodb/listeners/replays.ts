import { insertNew } from '../../../stores/mongodb/insert-new.js';
import type { NewDelivery } from '../../queue/delivery.js';
import type { Collections } from '../collections.js';
import type { Withdraw } from './withdraw-deliveries.js';

/** Cancelled replays. */
export type Replays = {
  /** Cancels the waiting and held deliveries of a replay. Returns their number. */
  readonly cancel: (replay: string) => Promise<number>;
  /** The cancelled ones of the replays that these deliveries belong to. */
  readonly cancelledOf: (deliveries: readonly NewDelivery[]) => Promise<ReadonlySet<string>>;
  /** Cancels deliveries that were added while their replays were being cancelled. Returns their number. */
  readonly withdraw: (replays: ReadonlySet<string>) => Promise<number>;
};

export function openReplays({ cancelledReplays }: Collections, withdraw: Withdraw): Replays {
  async function withdrawAll(replays: ReadonlySet<string>): Promise<number> {
    if (replays.size === 0) return 0;
    const of = { replay: { $in: [...replays] } };
    return (
      (await withdraw({ from: 'waiting', to: 'cancelled', of })) +
      (await withdraw({ from: 'held', to: 'cancelled', of }))
    );
  }

  return {
    async cancel(replay) {
      await insertNew(cancelledReplays, [{ _id: replay }]);
      return withdrawAll(new Set([replay]));
    },
    async cancelledOf(deliveries) {
      const replays = new Set(deliveries.flatMap(({ replay }) => replay ?? []));
      if (replays.size === 0) return replays;
      const cancelled = await cancelledReplays.find({ _id: { $in: [...replays] } }).toArray();
      return new Set(cancelled.map(({ _id }) => _id));
    },
    withdraw: withdrawAll,
  };
}
