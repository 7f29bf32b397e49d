import { insertNew } from '../../stores/mongodb/insert-new.js';
import { type DeliveryState, deliveryStates } from '../queue/delivery.js';
import type { Collections } from './collections.js';

type Changes = Readonly<Partial<Record<DeliveryState, number>>>;

/**
 * Number of deliveries in each state, so that millions need not be counted. It is written after the deliveries, not
 * atomically with them: a process that dies in between leaves it wrong by that batch. It is for information only.
 */
export type Tally = {
  readonly add: (changes: Changes) => Promise<void>;
  readonly read: () => Promise<Record<DeliveryState, number>>;
};

export async function openTally({ tally }: Collections): Promise<Tally> {
  // Inserted first, so that writers never race to create a document.
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
