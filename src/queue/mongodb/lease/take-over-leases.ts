import type { Collection, Document } from 'mongodb';
import type { Collections } from '../collections.js';
import type { NamesOfIndexes } from '../indexes.js';
import type { AnnouncedDeliveries } from './announced-deliveries.js';

/** A row of version 1.0.0, which wrote leases into deliveries. `leaseCheckAt`: it may be due earlier than its listener's due bound. */
type EarlierRow = { _id: string; listenerId: string; dueAt?: Date };

const batchSize = 1_000;
const earlierIndexes = { deliveries: ['waiting_of_listener', 'lease_check'], listeners: ['turns'] } as const;

/** Makes the deliveries that version 1.0.0 had under lease due at the times that they carry. Repeatable; the last step drops its indexes. */
export async function takeOverLeases(
  { deliveries, listeners }: Pick<Collections, 'deliveries' | 'listeners'>,
  names: NamesOfIndexes,
  { wake }: Pick<AnnouncedDeliveries, 'wake'>,
): Promise<void> {
  const rows = deliveries as unknown as Collection<EarlierRow & { leaseCheckAt?: Date; lease?: string }>;
  if (names.deliveries.has('lease_check')) {
    for (let count = batchSize; count === batchSize; ) {
      const found = await rows
        .find({ leaseCheckAt: { $exists: true } })
        .project<EarlierRow>({ listenerId: 1, dueAt: 1 })
        .limit(batchSize)
        .toArray();
      count = found.length;
      await wake(new Map(found.map(({ listenerId }) => [listenerId, 0])));
      await rows.updateMany(
        { _id: { $in: found.map(({ _id }) => _id) } },
        { $unset: { lease: '', leaseCheckAt: '', redeliveryRequestedAt: '' } as Document },
      );
    }
  }
  for (const name of earlierIndexes.deliveries) if (names.deliveries.has(name)) await drop(deliveries, name);
  for (const name of earlierIndexes.listeners) if (names.listeners.has(name)) await drop(listeners, name);
}

/** Another instance may drop it at the same time. */
async function drop<Row extends Document>(collection: Collection<Row>, name: string): Promise<void> {
  await collection.dropIndex(name).catch((error: { codeName?: string }) => {
    if (error.codeName !== 'IndexNotFound') throw error;
  });
}
