import { randomUUID } from 'node:crypto';
import type { Collections, InstanceRow } from '../collections.js';
import type { Times } from '../server-clock.js';

/** `instance`: see `Life`. */
export const leaseToken = (instance: string): string => `${instance} ${randomUUID()}`;

/** Maximum number of deliveries in one command, to bound its duration. */
const batchSize = 1_000;

/**
 * Ends the leases of dead instances now; the lease check frees their deliveries. Repeatable; several instances may do it
 * at once. The lock of an ordered listener that died between its lock and its lease ends with the lease time.
 */
export function openEndLeases({ deliveries, listeners, instances }: Collections) {
  async function endSome({ _id }: InstanceRow, { serverNow }: Times): Promise<number> {
    const now = new Date(serverNow);
    const lease = { $regex: `^${_id} ` };
    const leased = { leaseCheckAt: { $gt: now }, lease };
    const rows = await deliveries
      .find(leased)
      .project<{ _id: string; listenerId: string }>({ listenerId: 1 })
      .limit(batchSize)
      .toArray();
    if (rows.length === 0) return 0;
    await listeners.updateMany(
      { _id: { $in: [...new Set(rows.map(({ listenerId }) => listenerId))] }, 'turn.lease': lease },
      { $set: { 'turn.until': now, version: randomUUID() } },
    );
    await deliveries.updateMany(
      { _id: { $in: rows.map((row) => row._id) }, ...leased },
      { $set: { leaseCheckAt: now, leasableAt: now } },
    );
    return rows.length;
  }

  return async (dead: readonly InstanceRow[], times: Times): Promise<void> => {
    for (const instance of dead) {
      const ended = await endSome(instance, times);
      if (ended === 0)
        await instances.deleteOne(instance); // unless it has beaten since
      else if (ended === batchSize) while ((await endSome(instance, times)) > 0);
    }
  };
}
