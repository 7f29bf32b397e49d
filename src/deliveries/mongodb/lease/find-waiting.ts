import { randomInt } from 'node:crypto';
import type { LeaseCapacity } from '../../queue/policy/lease-capacity.js';
import type { Collections, DeliveryRow, ListenerRow } from '../collections.js';
import { type Times, toQueueTime } from '../server-clock.js';

/** A listener with a due hint. */
export type Listener = Required<Pick<ListenerRow, 'nextDue' | 'orgId' | 'hookUrl' | 'subscription'>> &
  Pick<ListenerRow, '_id' | 'partition' | 'hintVersion' | 'dueSince' | 'paused' | 'health' | 'turn' | 'version'>;

export type DueListeners = {
  /** The listener that is due longest first. */
  listeners: readonly Listener[];
  /** More listeners may be due. */
  more: boolean;
  /** Due time of the next of the other listeners. */
  nextDueAt: number | undefined;
};

/** Interval of looks at a listener that has become ordered while its deliveries were under way. */
const lookAgainMs = 1_000;

const beginning = new Date(0);
const listenerFields = {
  nextDue: 1,
  hintVersion: 1,
  partition: 1,
  orgId: 1,
  hookUrl: 1,
  subscription: 1,
  paused: 1,
  dueSince: 1,
  health: 1,
  turn: 1,
  version: 1,
} as const;

/** Deliveries that have been due for this time are leased by any instance: the one of their partition is full, or gone. */
const helpAfterMs = 1_000;

/**
 * Finds due listeners: those of the instance's partitions, and others that are not leased in time. Organisations that have used up their share may have very many: if their listeners fill the front of the
 * index, the listeners of other organisations are found by organisation, in round-robin order.
 */
export function openFindListeners({ listeners }: Pick<Collections, 'listeners'>) {
  /** The organisation that the latest round ended with. */
  let last = '';
  let helpedAt = Number.NEGATIVE_INFINITY;
  /** The latest look found none: the next one begins with one read, whichever partitions are whose. */
  let isQuiet = false;

  const find = (filter: object, sort: Record<string, 1>, limit: number): Promise<readonly Listener[]> =>
    listeners.find(filter).project<Listener>(listenerFields).sort(sort).limit(limit).toArray();

  async function nextByOrganisation(due: object, full: readonly string[], limit: number): Promise<readonly Listener[]> {
    const of = (bounds: object) => find({ ...due, orgId: { ...bounds, $nin: full } }, { orgId: 1, nextDue: 1 }, limit);
    const after = await of({ $gt: last });
    const found = after.length < limit ? [...after, ...(await of({ $lte: last }))].slice(0, limit) : after;
    last = found.at(-1)?.orgId ?? '';
    return found;
  }

  async function ofPartitions(own: object, capacity: LeaseCapacity, now: number): Promise<DueListeners> {
    const limit = capacity.left + capacity.listeners().size + 1; // listeners with deliveries in this lease may get no more
    const busy = capacity.busyListeners();
    const full = capacity.fullOrganisations();
    const passedBy = busy.length > 0 && { _id: { $nin: busy } };
    const front = await find({ ...own, nextDue: { $gte: beginning }, ...passedBy }, { nextDue: 1 }, limit);
    const due = front.filter(({ nextDue }) => nextDue.getTime() <= now);
    const open = due.filter(({ orgId }) => !full.includes(orgId));
    if (due.length < limit) return { listeners: open, more: false, nextDueAt: front[due.length]?.nextDue.getTime() };
    if (open.length === due.length) return { listeners: open, more: true, nextDueAt: undefined };

    const known = new Set(open.map(({ _id }) => _id));
    const [others, [next]] = await Promise.all([
      nextByOrganisation({ ...own, nextDue: { $gte: beginning, $lte: new Date(now) }, ...passedBy }, full, limit),
      find({ ...own, nextDue: { $gt: new Date(now) } }, { nextDue: 1 }, 1),
    ]);
    return {
      listeners: [...open, ...others.filter(({ _id }) => !known.has(_id))],
      more: others.length === limit,
      nextDueAt: next?.nextDue.getTime(),
    };
  }

  /** Reads from a random partition on if there are many, so that instances with capacity do not read the same ones. */
  async function overdueOfOthers(
    owned: readonly number[],
    capacity: LeaseCapacity,
    now: number,
  ): Promise<readonly Listener[]> {
    const limit = capacity.left;
    const busy = capacity.busyListeners();
    const full = capacity.fullOrganisations();
    const of = (partition: object) =>
      find(
        {
          partition: { ...partition, $nin: owned },
          nextDue: { $gte: beginning, $lte: new Date(now - helpAfterMs) },
          ...(busy.length > 0 && { _id: { $nin: busy } }),
          ...(full.length > 0 && { orgId: { $nin: full } }),
        },
        { partition: 1, nextDue: 1 },
        limit,
      );
    const first = await of({});
    const partitions = new Set(first.map(({ partition }) => partition));
    if (first.length < limit || partitions.size === 1) return first;
    return of({ $gte: first[randomInt(first.length)]?.partition ?? 0 });
  }

  /** Undefined where some listener is due. */
  async function ifNoneIsDue(now: number): Promise<DueListeners | undefined> {
    const [front] = await find({ nextDue: { $gte: beginning } }, { nextDue: 1 }, 1);
    if (front && front.nextDue.getTime() <= now) return undefined;
    return { ...none, nextDueAt: front?.nextDue.getTime() };
  }

  return async (capacity: LeaseCapacity, now: number, partitions?: ReadonlySet<number>): Promise<DueListeners> => {
    if (!partitions) return ofPartitions({}, capacity, now);
    const quiet = isQuiet ? await ifNoneIsDue(now) : undefined;
    if (quiet) return quiet;
    const owned = [...partitions];
    const own = owned.length === 0 ? none : await ofPartitions({ partition: { $in: owned } }, capacity, now);
    isQuiet = own.listeners.length === 0;
    if (own.listeners.length >= capacity.left || performance.now() - helpedAt < helpAfterMs) return own;
    const others = await overdueOfOthers(owned, capacity, now);
    if (others.length === 0) helpedAt = performance.now();
    const more = own.more || others.length >= capacity.left;
    return { ...own, listeners: [...own.listeners, ...others], more };
  };
}

const none: DueListeners = { listeners: [], more: false, nextDueAt: undefined };

/** A waiting delivery without a lease. */
export type CandidateDelivery = Pick<DeliveryRow, '_id' | 'orgId' | 'eventId' | 'listenerId' | 'leasableAt'>;

export type WaitingDeliveries = {
  /** Deliveries that may be leased now, in delivery order. */
  leasable: readonly CandidateDelivery[];
  /** Time from which the first of the other deliveries may be leased, if these are leased now. */
  next: Date | undefined;
};

export type WaitingRequest = Times & { limit: number; leaseMs: number };

const fields = { orgId: 1, eventId: 1, listenerId: 1, leasableAt: 1 } as const;

/** Finds waiting deliveries of a listener, up to a limit. */
export function openFindWaiting({ deliveries }: Pick<Collections, 'deliveries'>) {
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
    // Their holder may not know that the listener is ordered, and that their ends make another delivery due.
    if (underWay)
      return {
        leasable: [],
        next: new Date(Math.min(toQueueTime(underWay.leasableAt, request).getTime(), now + lookAgainMs)),
      };
    if (first.lease !== undefined) return notBefore(first.leasableAt); // expired; the lease check is about to free it
    if (first.leasableAt.getTime() > now) return { leasable: [], next: first.leasableAt };
    return { leasable: [first], next: second && new Date(now + leaseMs) };
  }

  return async (listener: Listener, request: WaitingRequest): Promise<WaitingDeliveries> => {
    if (listener.paused) return { leasable: [], next: undefined };
    return listener.subscription.ordered ? firstInOrder(listener, request) : longestDue(listener, request);
  };
}
