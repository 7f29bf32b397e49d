import type { LeaseRequest } from '../../queue/leasing.js';
import type { LeaseCapacity } from '../../queue/policy/lease-capacity.js';
import { leaseAllowance } from '../../queue/policy/lease-capacity.js';
import { healthy, type ListenerHealth } from '../../queue/policy/listener-health.js';
import type { Collections } from '../collections.js';
import type { Times } from '../server-clock.js';
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
  /** Time from which the first of its other waiting deliveries may be leased; the next value of its due hint. */
  next: Date | undefined;
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

export type DueRequest = Times &
  Pick<LeaseRequest, 'ratePerSecond' | 'leaseMs' | 'partitions'> & { capacity: LeaseCapacity };

/** Maximum number of listeners whose deliveries are read concurrently. */
const waveSize = 16;

/**
 * Finds due deliveries by listeners, the listener that is due longest first. It reads the beginnings of two index ranges, that
 * of the listeners and that of each listener's deliveries, so the cost depends on the number requested and not on the number
 * waiting.
 */
export function openFindDue(collections: Collections): (request: DueRequest) => Promise<DueListenerCandidates> {
  const dueListeners = openFindListeners(collections);
  const findWaiting = openFindWaiting(collections);

  return async (request) => {
    const { now } = request;
    const capacity = request.capacity.copy();
    const { listeners, more, nextDueAt } = await dueListeners(capacity, now, request.partitions);
    const candidates: ListenerCandidates[] = [];
    let at = 0;
    for (; at < listeners.length && capacity.left > 0; at += waveSize) {
      // The share is kept: attempts that end while the deliveries are read may enlarge it, beyond what is read.
      const wave = listeners
        .slice(at, at + waveSize)
        .map((listener) => ({ listener, share: capacity.shareOf(named(listener)) }))
        .filter(({ share }) => share > 0);
      const found = await Promise.all(
        wave.map(async ({ listener, share }) => ({
          listener,
          share,
          waiting: await findWaiting(listener, { ...request, limit: share + 1 }),
        })),
      );
      for (const { listener, share, waiting } of found) {
        const ofListener = candidatesOf(listener, waiting, { ...request, capacity, share });
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
  { leasable, next }: WaitingDeliveries,
  { capacity, share, now, leaseMs, ratePerSecond }: DueRequest & { share: number },
): ListenerCandidates {
  const wanted = leasable.slice(0, Math.min(share, capacity.shareOf(named(listener))));
  const perSecond = listener.subscription.ratePerSecond ?? ratePerSecond;
  const { health = healthy } = listener;
  const request = { wanted: wanted.length, now, perSecond, probeMs: leaseMs };
  const { attempts, health: started, keptBackUntil } = leaseAllowance(health, request);
  const due = wanted.slice(0, attempts);
  const rest = leasable[due.length]?.leasableAt ?? next;
  const isKeptBack = rest !== undefined && keptBackUntil !== undefined && keptBackUntil > Math.max(rest.getTime(), now);
  return {
    listener,
    due,
    next: isKeptBack ? new Date(keptBackUntil) : rest,
    dueSince: isKeptBack && rest.getTime() <= now ? rest : undefined,
    isFull: due.length >= capacity.ofListener(named(listener)),
    health: started,
  };
}
