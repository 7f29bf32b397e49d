import type { LeaseCapacity } from '../../policy/fair-sharing.js';
import { type OwnedPartitions, partitionOf } from '../../policy/partition.js';
import type { Collections, DeliveryRow, ListenerRow } from '../collections.js';
import type { Shared } from '../shared.js';
import type { RowsUnderWay } from './under-way.js';

/** A listener with a due bound. */
export type Listener = Required<Pick<ListenerRow, 'nextDue' | 'orgId' | 'hookUrl' | 'subscription'>> &
  Pick<ListenerRow, '_id' | 'partition' | 'hintVersion' | 'dueSince' | 'paused' | 'health' | 'version'>;

export type DueListeners = {
  /** The listener that is due longest first. */
  listeners: readonly Listener[];
  /** More listeners may be due. */
  more: boolean;
  /** Due time of the next of the other listeners. */
  nextDueAt: number | undefined;
};

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
  version: 1,
} as const;

/**
 * Finds due listeners of the partitions, without those whose due deliveries are all under way. Organisations that have used up their
 * share may have very many: if their listeners fill the front of the index, the listeners of other organisations are found by
 * organisation, in round-robin order.
 */
export function openFindListeners({ collections: { listeners }, partitions: count, underWay }: Shared) {
  /** The organisation that the latest round ended with. */
  let last = '';

  const find = (filter: object, sort: Record<string, 1>, limit: number): Promise<readonly Listener[]> =>
    listeners.find(filter).project<Listener>(listenerFields).sort(sort).limit(limit).toArray();

  async function nextByOrganisation(due: object, full: readonly string[], limit: number): Promise<readonly Listener[]> {
    const of = (bounds: object) => find({ ...due, orgId: { ...bounds, $nin: full } }, { orgId: 1, nextDue: 1 }, limit);
    const after = await of({ $gt: last });
    const found = after.length < limit ? [...after, ...(await of({ $lte: last }))].slice(0, limit) : after;
    last = found.at(-1)?.orgId ?? '';
    return found;
  }

  async function found(own: object, capacity: LeaseCapacity, now: number): Promise<DueListeners> {
    const limit = capacity.left + capacity.listeners().size + 1; // listeners with deliveries in this lease may get no more
    const settled = underWay.fullyUnderWay(now);
    const passedBy = [...new Set([...capacity.busyListeners(), ...settled.listenerIds])];
    const others = passedBy.length > 0 && { _id: { $nin: passedBy } };
    const full = capacity.fullOrganisations();
    const front = await find({ ...own, nextDue: { $gte: beginning }, ...others }, { nextDue: 1 }, limit);
    const due = front.filter(({ nextDue }) => nextDue.getTime() <= now);
    const open = due.filter(({ orgId }) => !full.includes(orgId));
    if (due.length < limit) {
      const nextDueAt = earliest(front[due.length]?.nextDue.getTime(), settled.nextDueAt);
      return { listeners: open, more: false, nextDueAt };
    }
    if (open.length === due.length) return { listeners: open, more: true, nextDueAt: undefined };

    const known = new Set(open.map(({ _id }) => _id));
    const [more, [next]] = await Promise.all([
      nextByOrganisation({ ...own, nextDue: { $gte: beginning, $lte: new Date(now) }, ...others }, full, limit),
      find({ ...own, nextDue: { $gt: new Date(now) } }, { nextDue: 1 }, 1),
    ]);
    return {
      listeners: [...open, ...more.filter(({ _id }) => !known.has(_id))],
      more: more.length === limit,
      nextDueAt: earliest(next?.nextDue.getTime(), settled.nextDueAt),
    };
  }

  return async (capacity: LeaseCapacity, now: number, partitions?: OwnedPartitions): Promise<DueListeners> => {
    if (!partitions || partitions.size === count) return found({}, capacity, now);
    if (partitions.size === 0) return { listeners: [], more: false, nextDueAt: undefined };
    // Null: a process wrote it that does not know the number of partitions.
    const due = await found({ partition: { $in: [null, ...partitions.keys()] } }, capacity, now);
    const isOwn = ({ partition, orgId }: Listener) =>
      partitions.has(partition ?? (count === undefined ? 0 : partitionOf(orgId, count)));
    return { ...due, listeners: due.listeners.filter(isOwn) };
  };
}

const earliest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);

/** A waiting delivery, as it was read. */
export type CandidateDelivery = Omit<DeliveryRow, 'log' | 'dueAt'> & { dueAt: Date };

export type WaitingDeliveries = {
  /** Deliveries that may be leased now, in delivery order. */
  leasable: readonly CandidateDelivery[];
  /** Time from which the first of the other deliveries that are not under way may be leased, if these are leased now. */
  next: Date | undefined;
  /** Due time of the first of all, also of those under way; undefined: none waits. */
  first: Date | undefined;
  /** Deliveries of an ordered listener that follow the leased one. */
  ahead?: readonly CandidateDelivery[];
};

/** `ahead`: maximum number of deliveries to read behind the first of an ordered listener. */
export type WaitingRequest = { limit: number; ahead: number; now: number };

/** Finds waiting deliveries of a listener, up to a limit, without those under way. */
export function openFindWaiting({ deliveries }: Pick<Collections, 'deliveries'>, underWay: RowsUnderWay) {
  const find = (listenerId: string, sort: Record<string, 1>, limit: number) =>
    underWay.whileReading(
      (): Promise<readonly CandidateDelivery[]> =>
        deliveries
          .find({ state: 'waiting', listenerId })
          .project<CandidateDelivery>({ log: 0 })
          .sort(sort)
          .limit(limit)
          .toArray(),
    );

  /** The longest due first. */
  async function longestDue({ _id }: Listener, { limit, now }: WaitingRequest): Promise<WaitingDeliveries> {
    const found = await find(_id, { dueAt: 1 }, limit + underWay.ofListener(_id).length);
    const free = found.flatMap(({ row, isFree }) => (isFree ? [row] : []));
    const leasable = free.filter(({ dueAt }) => dueAt.getTime() <= now);
    return { leasable, next: free[leasable.length]?.dueAt, first: found[0]?.row.dueAt };
  }

  /** The first in the order of the flow events, if no delivery of the listener is under way. */
  async function firstInOrder({ _id }: Listener, { ahead, now }: WaitingRequest): Promise<WaitingDeliveries> {
    const [found, ...others] = await find(_id, { position: 1, _id: 1 }, 1 + ahead);
    const first = found?.row;
    if (!first || !found.isFree || underWay.ofListener(_id).length > 0)
      return { leasable: [], next: undefined, first: first?.dueAt };
    if (first.dueAt.getTime() > now) return { leasable: [], next: first.dueAt, first: first.dueAt };
    const end = others.findIndex(({ row, isFree }) => !isFree || row.dueAt.getTime() > now);
    const following = end === -1 ? others : others.slice(0, end);
    return { leasable: [first], next: undefined, first: first.dueAt, ahead: following.map(({ row }) => row) };
  }

  return async (listener: Listener, request: WaitingRequest): Promise<WaitingDeliveries> => {
    if (listener.paused) return { leasable: [], next: undefined, first: undefined };
    return listener.subscription.ordered ? firstInOrder(listener, request) : longestDue(listener, request);
  };
}
