import { randomUUID } from 'node:crypto';
import type { Collections, InstanceRow } from '../collections.js';
import type { Times } from '../server-clock.js';

/** Maximum number of deliveries in one command, to bound its duration. */
const batchSize = 1_000;

/**
 * Ends leases now, with the locks of ordered listeners and the probes of circuit breakers; the lease check frees their deliveries. Repeatable; several instances
 * may do it at once. A token begins with the ID of its instance.
 */
export function openEndLeases({ deliveries, listeners, instances }: Collections) {
  async function end(lease: object, { now, serverNow }: Times): Promise<void> {
    const ended = new Date(serverNow);
    // Another probe may start at once.
    await listeners.updateMany(
      { 'turn.lease': lease, 'health.breaker.probing': true, closed: false },
      { $set: { 'health.breaker.probing': false, 'health.breaker.openUntil': now, version: randomUUID() } },
    );
    // Also where the holder died between the lock and the lease.
    await listeners.updateMany(
      { 'turn.lease': lease, 'turn.until': { $gt: ended }, closed: false },
      {
        $set: { 'turn.until': ended, version: randomUUID() },
        $min: { nextDue: new Date(now) },
        $inc: { hintVersion: 1 },
      },
    );
    for (let count = batchSize; count === batchSize; ) {
      const leased = { leaseCheckAt: { $gt: ended }, lease };
      const rows = await deliveries.find(leased).project<{ _id: string }>({ _id: 1 }).limit(batchSize).toArray();
      count = rows.length;
      if (count === 0) return;
      const ids = rows.map(({ _id }) => _id).sort();
      await deliveries.updateMany(
        { _id: { $in: ids }, ...leased },
        { $set: { leaseCheckAt: ended, leasableAt: ended } },
      );
    }
  }

  return {
    async ofDead(dead: readonly InstanceRow[], times: Times): Promise<void> {
      for (const instance of dead) {
        await end({ $regex: `^${instance._id} ` }, times);
        await instances.deleteOne(instance); // unless it has beaten since
      }
    },
    async ofTokens(tokens: readonly string[], times: Times): Promise<void> {
      if (tokens.length > 0) await end({ $in: tokens }, times);
    },
  };
}
