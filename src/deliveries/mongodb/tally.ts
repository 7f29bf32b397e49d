import { insertNew } from '../../stores/mongodb/insert-new.js';
import { type DeliveryState, deliveryStates } from '../queue/delivery.js';
import type { Collections } from './collections.js';

export type Changes = Readonly<Partial<Record<DeliveryState, number>>>;

/**
 * How many deliveries are in each state, so that nobody has to count millions. It is written after what it counts and
 * not in one step with it: a process that dies in between leaves it wrong by that batch. Nothing is decided by it.
 */
export type Tally = {
  readonly add: (changes: Changes) => Promise<void>;
  readonly read: () => Promise<Record<DeliveryState, number>>;
};

export async function openTally({ tally }: Collections): Promise<Tally> {
  // First, so that no two writers ever race to make one of them.
  await insertNew(
    tally,
    deliveryStates.map((_id) => ({ _id, deliveries: 0 })),
  );
  return {
    async add(changes) {
      const updates = deliveryStates.flatMap((_id) =>
        changes[_id] ? [{ updateOne: { filter: { _id }, update: { $inc: { deliveries: changes[_id] } } } }] : [],
      );
      if (updates.length > 0) await tally.bulkWrite(updates, { ordered: false, writeConcern: { w: 1 } });
    },
    async read() {
      const counts = { waiting: 0, held: 0, succeeded: 0, exhausted: 0, cancelled: 0 };
      for await (const { _id, deliveries } of tally.find()) counts[_id] = Number(deliveries);
      return counts;
    },
  };
}
