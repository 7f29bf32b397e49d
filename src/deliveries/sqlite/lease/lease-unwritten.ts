import type { LeasedDelivery } from '../../queue/delivery-queue.js';
import type { LeaseRoom } from '../../queue/lease-room.js';
import type { Unwritten, UnwrittenDelivery, UnwrittenLease } from '../enqueue/unwritten.js';
import type { OnRollback } from '../grouped-calls.js';
import { leasedDelivery, untriedDelivery } from './leased-delivery.js';

/**
 * Leases of what is not written yet as much as there is room for, the longest due first. Nothing keeps those hooks back, or it
 * would be written. `cutShort`: more could be leased if there were room for more in all.
 */
export function leaseUnwritten(
  unwritten: Unwritten,
  { room, held, onRollback }: { room: LeaseRoom; held: UnwrittenLease; onRollback: OnRollback },
): { readonly deliveries: readonly LeasedDelivery[]; readonly cutShort: boolean } {
  const taken: UnwrittenDelivery[] = [];
  // Room only becomes less.
  const full = { hooks: new Set<number>(), organisations: new Set<string>() };
  let cutShort = false;
  unwritten.showFree((one) => {
    const { hook } = one;
    cutShort = room.left <= 0;
    if (cutShort) return true;
    if (full.hooks.has(hook.key) || full.organisations.has(hook.orgId)) return false;
    if (room.ofOrganisation(hook.orgId) <= 0) full.organisations.add(hook.orgId);
    else if (room.ofHook(hook) <= 0) full.hooks.add(hook.key);
    else {
      room.take(hook, 1);
      taken.push(one);
    }
    return false;
  });
  unwritten.lease(taken, held, onRollback);
  const leased = ({ delivery, message, hook, enqueuedAt }: UnwrittenDelivery): LeasedDelivery =>
    leasedDelivery(held.lease, hook, untriedDelivery(delivery, message, enqueuedAt));
  return { deliveries: taken.map(leased), cutShort };
}
