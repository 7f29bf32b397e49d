import type { LeasedDelivery } from '../../queue/delivery-queue.js';
import type { LeaseRoom } from '../../queue/lease-room.js';
import type { BufferedDelivery, BufferedLease, WriteBehindBuffer } from '../enqueue/write-behind-buffer.js';
import type { OnRollback } from '../group-commit.js';
import { leasedDelivery, untriedDelivery } from './leased-delivery.js';

/**
 * Leases of what is not written yet as much as there is room for, the longest due first. Nothing keeps those hooks back, or it
 * would be written. `limitReached`: more could be leased if there were room for more in all.
 */
export function leaseBuffered(
  buffer: WriteBehindBuffer,
  { room, held, onRollback }: { room: LeaseRoom; held: BufferedLease; onRollback: OnRollback },
): { readonly deliveries: readonly LeasedDelivery[]; readonly limitReached: boolean } {
  const taken: BufferedDelivery[] = [];
  // Room only becomes less.
  const full = { hooks: new Set<number>(), organisations: new Set<string>() };
  let limitReached = false;
  buffer.showFree((one) => {
    const { hook } = one;
    limitReached = room.left <= 0;
    if (limitReached) return true;
    if (full.hooks.has(hook.key) || full.organisations.has(hook.orgId)) return false;
    if (room.ofOrganisation(hook.orgId) <= 0) full.organisations.add(hook.orgId);
    else if (room.ofHook(hook) <= 0) full.hooks.add(hook.key);
    else {
      room.take(hook, 1);
      taken.push(one);
    }
    return false;
  });
  buffer.lease(taken, held, onRollback);
  const leased = ({ delivery, message, hook, enqueuedAt }: BufferedDelivery): LeasedDelivery =>
    leasedDelivery(held.lease, hook, untriedDelivery(delivery, message, enqueuedAt));
  return { deliveries: taken.map(leased), limitReached };
}
