import type { LeaseRequest } from '../../leasing.js';
import type { LeaseCapacity } from '../../policy/fair-sharing.js';
import { leaseAllowance } from '../../policy/lease-allowance.js';
import { healthy, isUnrestrained, type ListenerHealth } from '../../policy/listener-health.js';
import type { Shared } from '../shared.js';
import {
  type CandidateDelivery,
  type Listener,
  openFindListeners,
  openFindWaiting,
  type WaitingDeliveries,
} from './find-waiting.js';

/** A due listener: its deliveries to lease, and when it has more. */
export type ListenerCandidates = {
  listener: Listener;
  due: readonly CandidateDelivery[];
  /** The rows that follow in order, if nothing restrains the listener. */
  ahead: readonly CandidateDelivery[];
  /** Time from which the first of its other deliveries that are not under way may be leased. */
  next: Date | undefined;
  /** The next value of its due bound, which never passes a delivery under way: the next owner of the partition finds it due. */
  dueBound: Date | undefined;
  /** IDs of those that were under way when the deliveries were read. */
  underWay: readonly string[];
  /** Due time of that delivery, if the listener's health or rate limit delays it. */
  dueSince: Date | undefined;
  /** The listener's share is used up: its other deliveries wait for attempts to end, not for a time. */
  isFull: boolean;
  /** The listener's health after this lease, to be written before it; undefined if the lease does not change it. */
  health: ListenerHealth | undefined;
};

export type DueListenerCandidates = {
  candidates: readonly ListenerCandidates[];
  /** Other listeners may have more. */
  more: boolean;
  /** Due time of the next listener that is not among the candidates. */
  nextDueAt: number | undefined;
};

export type DueRequest = Pick<LeaseRequest, 'now' | 'ratePerSecond' | 'probeMs' | 'partitions'> & {
  capacity: LeaseCapacity;
  /** Called before deliveries are read. */
  prove: () => Promise<unknown>;
};

/** Maximum number of listeners whose deliveries are read concurrently. */
const waveSize = 16;

/**
 * Finds due deliveries by listeners, the listener that is due longest first. It reads the beginnings of two index ranges, that
 * of the listeners and that of each listener's deliveries, so the cost depends on the number requested and not on the number
 * waiting.
 */
export function openFindDue(shared: Shared): (request: DueRequest) => Promise<DueListenerCandidates> {
  const { collections, underWay, rowsAhead } = shared;
  const dueListeners = openFindListeners(shared);
  const findWaiting = openFindWaiting(collections, underWay);

  return async (request) => {
    const { now } = request;
    const capacity = request.capacity.copy();
    const { listeners, more, nextDueAt } = await dueListeners(capacity, now, request.partitions);
    if (listeners.length > 0) await request.prove();
    const candidates: ListenerCandidates[] = [];
    let at = 0;
    for (; at < listeners.length && capacity.left > 0; at += waveSize) {
      // The share is kept: attempts that end while the deliveries are read may enlarge it, beyond what is read.
      const wave = listeners
        .slice(at, at + waveSize)
        .map((listener) => ({
          listener,
          share: capacity.shareOf(named(listener)),
          underWay: underWay.ofListener(listener._id),
        }))
        .filter(({ share }) => share > 0);
      const found = await Promise.all(
        wave.map(async (one) => ({
          ...one,
          waiting: await findWaiting(one.listener, {
            ...request,
            limit: one.share + 1,
            ahead: rowsAhead.limitOf(one.listener._id),
          }),
        })),
      );
      for (const { listener, share, underWay, waiting } of found) {
        const ofListener = { ...candidatesOf(listener, waiting, { ...request, capacity, share }), underWay };
        capacity.take(named(listener), ofListener.due.length);
        candidates.push(ofListener);
      }
    }
    return { candidates, more: more || at < listeners.length, nextDueAt };
  };
}

const named = ({ _id, orgId, hookUrl }: Listener) => ({ listenerId: _id, orgId, hookUrl });

function candidatesOf(
  listener: Listener,
  { leasable, next, first, ahead = [] }: WaitingDeliveries,
  { capacity, share, now, probeMs, ratePerSecond }: DueRequest & { share: number },
): Omit<ListenerCandidates, 'underWay'> {
  const candidates = leasable.slice(0, Math.min(share, capacity.shareOf(named(listener))));
  const perSecond = listener.subscription.ratePerSecond ?? ratePerSecond;
  const { health = healthy } = listener;
  const request = { requested: candidates.length, now, perSecond, probeMs };
  const { attempts, health: started, keptBackUntil } = leaseAllowance(health, request);
  const due = candidates.slice(0, attempts);
  const rest = leasable[due.length]?.dueAt ?? next;
  const isKeptBack = rest !== undefined && keptBackUntil !== undefined && keptBackUntil > Math.max(rest.getTime(), now);
  return {
    listener,
    due,
    ahead: due.length > 0 && isUnrestrained(health, perSecond) ? ahead : [],
    next: isKeptBack ? new Date(keptBackUntil) : rest,
    dueBound: isKeptBack ? new Date(keptBackUntil) : first,
    dueSince: isKeptBack && rest.getTime() <= now ? rest : undefined,
    isFull: due.length >= capacity.ofListener(named(listener)),
    health: started,
  };
}
