import type { Message } from '../../queue/delivery.js';
import type { LeasedBatch, LeasedDelivery, LeaseRequest } from '../../queue/leasing.js';
import { LeaseRoom } from '../../queue/policy/lease-room.js';
import { healthy, isUnrestrained } from '../../queue/policy/listener-health.js';
import { type DeliveryRow, type ListenerRow, messageKey } from '../collections.js';
import type { BeginLease } from '../lease/begin-lease.js';
import { toLeased } from '../lease/delivery-leases.js';

type Found = {
  /** As they were when they were read last, by ID. */
  listeners: ReadonlyMap<string, ListenerRow>;
  /** Those that this call has inserted, by `messageKey`. */
  messages: ReadonlyMap<string, Message>;
};

/** The rows to insert, of which some are under a lease. */
type AtOnce = {
  rows: readonly DeliveryRow[];
  /** Of these rows, which were inserted under it. */
  leasedOf: (inserted: readonly DeliveryRow[]) => Promise<Leased>;
  /** Nothing that was inserted under the lease will be attempted. */
  abandon: () => void;
};

/** `withheld`: leased deliveries of listeners that have changed meanwhile, to be released. */
type Leased = Omit<LeasedBatch, 'nextDueAt'> & { withheld: readonly Pick<LeasedDelivery, 'id' | 'lease'>[] };

/**
 * Puts new deliveries under a lease before they are inserted, if nothing restrains their listeners: no other delivery is
 * due, and neither order, rate nor health counts attempts. The others are leased in steps of their own.
 */
export function openLeaseAtOnce(
  readListeners: (listenerIds: ReadonlySet<string>) => Promise<ReadonlyMap<string, ListenerRow>>,
  beginLease: BeginLease,
): (rows: readonly DeliveryRow[], request: LeaseRequest, found: Found) => Promise<AtOnce> {
  return async (rows, request, { listeners, messages }) => {
    const room = new LeaseRoom(request);
    const isFree = ({ listenerId, ...row }: DeliveryRow) => {
      const listener = listeners.get(listenerId);
      const isNew = row.state === 'waiting' && row.replay === undefined && messages.has(messageKey(row));
      const isBehind = listener?.nextDue && listener.nextDue.getTime() <= request.now;
      return isNew && !isBehind && isUnrestrainedBy(listener, request);
    };
    const chosen = new Set(rows.filter((row) => isFree(row) && hasRoom(row, listeners, room)));
    if (chosen.size === 0) return { rows, leasedOf: async () => none, abandon: () => undefined };
    const { token, expiresAt, term, hold, abandon } = await beginLease(request);
    const lease = { lease: token, leasableAt: expiresAt, leaseCheckAt: expiresAt };
    return {
      rows: rows.map((row) => (chosen.has(row) ? { ...row, ...lease } : row)),
      async leasedOf(inserted) {
        hold(inserted.map(({ _id: id, orgId, listenerId }) => ({ id, orgId, listenerId, lease: token })));
        // After a majority has acknowledged the lease, as in `openDeliveryLeases`: a gate that is read as open was open then.
        const current = await readListeners(new Set(inserted.map(({ listenerId }) => listenerId)));
        const mayStart = ({ listenerId }: DeliveryRow) => isUnrestrainedBy(current.get(listenerId), request);
        const deliveries = inserted.filter(mayStart).flatMap((row) => {
          const [listener, message] = [current.get(row.listenerId), messages.get(messageKey(row))];
          return listener && message ? toLeased(row, listener, message) : [];
        });
        const withheld = inserted.filter((row) => !mayStart(row)).map(({ _id: id }) => ({ id, lease: token }));
        return { deliveries, withheld, ...term, ...room.crowded() };
      },
      abandon,
    };
  };
}

const none: Leased = { deliveries: [], withheld: [] };

function isUnrestrainedBy(listener: ListenerRow | undefined, { ratePerSecond }: LeaseRequest): boolean {
  if (!listener) return false;
  const { closed, paused, subscription, turn, health = healthy } = listener;
  if (closed || paused || turn || !subscription || subscription.ordered) return false;
  return isUnrestrained(health, subscription.ratePerSecond ?? ratePerSecond);
}

function hasRoom(
  { listenerId, orgId }: DeliveryRow,
  listeners: ReadonlyMap<string, ListenerRow>,
  room: LeaseRoom,
): boolean {
  const hookUrl = listeners.get(listenerId)?.hookUrl;
  if (hookUrl === undefined || room.shareOf({ listenerId, orgId, hookUrl }) === 0) return false;
  room.take({ listenerId, orgId, hookUrl }, 1);
  return true;
}
