import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import type { LeasedDelivery } from '../../queue/leasing.js';
import type { LeaseRoom } from '../../queue/policy/lease-room.js';
import type { BufferedDelivery, BufferedLease, WriteBehindBuffer } from '../enqueue/write-behind-buffer.js';
import { leasedDelivery, untriedDelivery } from './leased-delivery.js';

/**
 * Leases as many buffered deliveries as there is room for, the longest due first. Their listeners have neither a rate nor an open
 * breaker, or their deliveries would not be buffered. `limitReached`: more deliveries are free than the request's limit allows.
 */
export function leaseBuffered(
  buffer: WriteBehindBuffer,
  { room, lease, onRollback }: { room: LeaseRoom; lease: BufferedLease; onRollback: OnRollback },
): { readonly deliveries: readonly LeasedDelivery[]; readonly limitReached: boolean } {
  const taken: BufferedDelivery[] = [];
  // Room never grows during a request.
  const full = { listeners: new Set<number>(), organisations: new Set<string>() };
  let limitReached = false;
  buffer.visitFree((one) => {
    const { listener } = one;
    limitReached = room.left <= 0;
    if (limitReached) return true;
    if (full.listeners.has(listener.key) || full.organisations.has(listener.orgId)) return false;
    if (room.ofOrganisation(listener.orgId) <= 0) full.organisations.add(listener.orgId);
    else if (room.ofListener(listener) <= 0) full.listeners.add(listener.key);
    else {
      room.take(listener, 1);
      taken.push(one);
    }
    return false;
  });
  buffer.lease(taken, lease, onRollback);
  const leased = ({ delivery, message, listener, enqueuedAt }: BufferedDelivery): LeasedDelivery =>
    leasedDelivery(lease.lease, listener, untriedDelivery(delivery, message, enqueuedAt));
  return { deliveries: taken.map(leased), limitReached };
}
