import type { Collections, DeliveryRow } from '../collections.js';
import { type Times, toQueueTime } from '../server-clock.js';
import type { Listener } from './find-listeners.js';

/** A waiting delivery without a lease. */
export type CandidateDelivery = Pick<DeliveryRow, '_id' | 'orgId' | 'eventId' | 'listenerId' | 'leasableAt'>;

export type WaitingDeliveries = {
  /** Deliveries that may be leased now, in delivery order. */
  readonly leasable: readonly CandidateDelivery[];
  /** When the first of the other deliveries may be leased, if these are leased now. */
  readonly next: Date | undefined;
};

export type WaitingRequest = Times & { readonly limit: number; readonly leaseMs: number };

const fields = { orgId: 1, eventId: 1, listenerId: 1, leasableAt: 1 } as const;

/** Finds waiting deliveries of a listener, up to a limit. */
export function waitingFinder({ deliveries }: Pick<Collections, 'deliveries'>) {
  /** The longest due first, without those under lease. */
  async function longestDue({ _id: listenerId }: Listener, { limit, now }: WaitingRequest): Promise<WaitingDeliveries> {
    const waiting = await deliveries
      .find({ state: 'waiting', listenerId, lease: { $exists: false } })
      .project<CandidateDelivery>(fields)
      .sort({ leasableAt: 1 })
      .limit(limit)
      .toArray();
    const leasable = waiting.filter(({ leasableAt }) => leasableAt.getTime() <= now);
    return { leasable, next: waiting[leasable.length]?.leasableAt };
  }

  /** The first in the order of the flow events, if no delivery of the listener is under lease. */
  async function firstInOrder(
    { _id: listenerId, turn }: Listener,
    request: WaitingRequest,
  ): Promise<WaitingDeliveries> {
    const { now, serverNow, leaseMs } = request;
    const notBefore = (end: Date): WaitingDeliveries => ({ leasable: [], next: toQueueTime(end, request) });
    if (turn && turn.until.getTime() > serverNow) return notBefore(turn.until);
    const ofListener = { state: 'waiting', listenerId } as const;
    const leased = { ...ofListener, leasableAt: { $gt: new Date(serverNow) }, lease: { $exists: true } };
    const [[first, second], underWay] = await Promise.all([
      deliveries
        .find(ofListener)
        .project<CandidateDelivery & Pick<DeliveryRow, 'lease'>>({ ...fields, lease: 1 })
        .sort({ position: 1, _id: 1 })
        .limit(2)
        .toArray(),
      // Leases from before the listener became ordered.
      deliveries.findOne(leased, { projection: { leasableAt: 1 } }),
    ]);
    if (!first) return { leasable: [], next: undefined };
    if (underWay) return notBefore(underWay.leasableAt);
    if (first.lease !== undefined) return notBefore(first.leasableAt); // expired; the lease check is about to free it
    if (first.leasableAt.getTime() > now) return { leasable: [], next: first.leasableAt };
    return { leasable: [first], next: second && new Date(now + leaseMs) };
  }

  return async (listener: Listener, request: WaitingRequest): Promise<WaitingDeliveries> => {
    if (listener.paused) return { leasable: [], next: undefined };
    return listener.ordered ? firstInOrder(listener, request) : longestDue(listener, request);
  };
}
