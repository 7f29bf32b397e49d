import type { Logger } from 'pino';
import { watchFailures } from '../../../kernel/failures.js';
import { updateEach } from '../../../stores/mongodb/bulk-writes.js';
import { asMongoError } from '../../../stores/mongodb/mongodb-errors.js';
import type { LeasedBatch, LeasedDelivery, LeaseRequest } from '../../queue/leasing.js';
import { LeaseCapacity } from '../../queue/policy/lease-capacity.js';
import type { Collections } from '../collections.js';
import { compareAndSetListeners } from '../outcomes/compare-and-set-listeners.js';
import type { Times } from '../server-clock.js';
import type { Shared } from '../shared.js';
import type { BeginLease, BegunLease } from './begin-lease.js';
import { type NewLease, openDeliveryLeases } from './delivery-leases.js';
import { type DueListenerCandidates, type ListenerCandidates, openFindDue } from './find-due.js';
import type { LeaseCheck } from './freed-deliveries.js';
import type { Heartbeat } from './heartbeat.js';
import { openEndLeases } from './lost-leases.js';

/**
 * Reserves, for all instances, what a lease needs of its listeners: attempts of the rate limit, the probe of a circuit
 * breaker, the lock of an ordered listener.
 */
function openReserve({ listeners }: Pick<Collections, 'listeners'>) {
  return {
    /** Returns the candidates that may be leased. The others lost the compare and set, and have to be read again. */
    async reserve(candidates: readonly ListenerCandidates[], { token, expiresAt }: NewLease) {
      const changes = candidates.flatMap(({ listener, due, health }) => {
        const isAlone = (listener.subscription.ordered && due.length > 0) || health?.breaker?.probing;
        const turn = isAlone ? { lease: token, until: expiresAt } : undefined;
        return turn || health ? [{ listener, set: { health, turn } }] : [];
      });
      const reserved = await compareAndSetListeners({ listeners }, changes);
      const lost = new Set(changes.flatMap(({ listener: { _id } }) => (reserved.has(_id) ? [] : [_id])));
      return candidates.filter(({ listener }) => !lost.has(listener._id));
    },

    /** Releases the locks of ordered listeners without a leased delivery. Unused attempts of a rate limit are lost. */
    async releaseUnused(
      reserved: readonly ListenerCandidates[],
      leased: readonly LeasedDelivery[],
      { token, now }: NewLease,
    ) {
      const had = new Set(leased.map(({ listenerId }) => listenerId));
      const unused = reserved.filter(
        ({ listener, due }) => listener.subscription.ordered && due.length > 0 && !had.has(listener._id),
      );
      if (unused.length === 0) return;
      await listeners.updateMany(
        { _id: { $in: unused.map(({ listener }) => listener._id) }, 'turn.lease': token, closed: false },
        { $unset: { turn: '' }, $min: { nextDue: now }, $inc: { hintVersion: 1 } },
      );
    },
  };
}

/**
 * Maximum number of rounds in which lost races are repeated, before the caller is asked to lease again: it bounds the
 * call.
 */
const maxRounds = 20;

type Parts = {
  heartbeat: Pick<Heartbeat, 'ended'>;
  beginLease: BeginLease;
  log: Logger | undefined;
};

/**
 * Leases due deliveries. Workers of several instances compete by compare and set, which only one of them wins for each
 * delivery. The lease is stored in the delivery. It ends with the heartbeat of its holder, or after `leaseMs`.
 *
 * Lease expiry is in server time, so an instance whose clock differs or is set does not take over a delivery under way.
 * If the server's own clock is set forward, leases expire early and attempts are repeated. An attempt after an
 * unsubscribe is impossible all the same: permits are measured by the worker's monotonic clock.
 */
export function openLease(
  { collections, statistics, freed, clock, held }: Shared,
  { heartbeat, beginLease, log }: Parts,
): (request: LeaseRequest) => Promise<LeasedBatch> {
  const { listeners } = collections;
  const findDue = openFindDue(collections);
  const { reserve, releaseUnused } = openReserve(collections);
  const leases = openDeliveryLeases(collections, statistics, held);
  const endLeases = openEndLeases(collections);
  const failures = log && watchFailures(log, 'writing when listeners are due next');

  async function moveHints(candidates: readonly ListenerCandidates[]): Promise<void> {
    const updates = candidates.flatMap(({ listener, next, dueSince }) => {
      if (isSame(next, listener.nextDue) && isSame(dueSince, listener.dueSince)) return [];
      const { _id, hintVersion } = listener;
      return [{ filter: { _id, hintVersion, closed: false }, update: toHints({ nextDue: next, dueSince }) }];
    });
    if (updates.length === 0) return;
    try {
      await updateEach(listeners, updates, { writeConcern: { w: 1 } });
      failures?.recovered();
    } catch (error) {
      // The cost is one more lookup of each listener. If this were thrown, the leased deliveries would wait for the lease
      // expiry.
      failures?.record(asMongoError(error));
    }
  }

  /** Leases what it can of the candidates. `all`: no other lease has taken some of it. */
  async function leaseSome(candidates: readonly ListenerCandidates[], newLease: NewLease) {
    const reserved = await reserve(candidates, newLease);
    const wanted = reserved.flatMap((ofListener) => ofListener.due);
    const taken = await leases.take(wanted, newLease);
    const all = reserved.length === candidates.length && taken === wanted.length;
    const [leased] = await Promise.all([leases.read(wanted, newLease), all && moveHints(candidates)]);
    await releaseUnused(reserved, leased, newLease);
    return { all, leased };
  }

  /** Ends the leases of dead instances. `nextAt`: when another one may be dead, in the callers' time; else infinite. */
  async function takeOver(times: Times): Promise<{ isOver: boolean; nextAt: number }> {
    const { lives, nextInMs } = await heartbeat.ended();
    await endLeases.ofDead(lives, times);
    return { isOver: lives.length === 0, nextAt: times.now + Math.ceil(nextInMs) };
  }

  async function lease(request: LeaseRequest, begun: () => Promise<BegunLease>): Promise<LeasedBatch> {
    const { now } = request;
    const times = { now, serverNow: await clock.now() };
    const capacity = new LeaseCapacity(request);
    const deliveries: LeasedDelivery[] = [];
    let term: Partial<BegunLease['term']> = {};
    const found = () => ({ deliveries, ...term, ...capacity.saturated() });
    let nextDeathAt = Number.POSITIVE_INFINITY;
    await endLeases.ofTokens(held.abandonedTokens(), times);

    for (let round = 1; ; round += 1) {
      const [due, leaseCheck] = await Promise.all([
        findDue({ ...request, ...times, capacity }),
        freed.checkLeases(times),
      ]);
      // Else there is nothing to take over: a locked listener is due when its lock ends.
      const isSomeDue = due.candidates.length > 0 || due.nextDueAt !== undefined || leaseCheck.nextAt !== undefined;
      if (round === 1 && isSomeDue) {
        const { isOver, nextAt } = await takeOver(times);
        nextDeathAt = nextAt;
        if (!isOver) continue;
      }
      let all = true;
      if (due.candidates.some((ofListener) => ofListener.due.length > 0)) {
        const newLease = await begun();
        const some = await leaseSome(due.candidates, newLease);
        for (const delivery of some.leased) capacity.take(delivery, 1);
        deliveries.push(...some.leased);
        all = some.all;
        if (deliveries.length > 0) term = newLease.term;
      } else await moveHints(due.candidates);
      const over = all && leaseCheck.freed === 0 && !(due.more && capacity.left > 0);
      if (over) return { ...found(), nextDueAt: nextDueAt(due, leaseCheck, nextDeathAt, now) };
      if (capacity.left === 0 || round === maxRounds) return { ...found(), nextDueAt: now };
    }
  }

  return async (request) => {
    let begun: BegunLease | undefined;
    try {
      const batch = await lease(request, async () => (begun ??= await beginLease(request)));
      begun?.hold(batch.deliveries);
      held.nextDueAt = batch.nextDueAt;
      return batch;
    } catch (error) {
      begun?.abandon();
      throw error;
    }
  };
}

const isSame = (one: Date | undefined, other: Date | undefined): boolean => one?.getTime() === other?.getTime();

function toHints({ nextDue, dueSince }: { nextDue: Date | undefined; dueSince: Date | undefined }) {
  const isAbsent = { ...(!nextDue && { nextDue: '' as const }), ...(!dueSince && { dueSince: '' as const }) };
  return {
    ...((nextDue || dueSince) && { $set: { nextDue, dueSince } }),
    ...(Object.keys(isAbsent).length > 0 && { $unset: isAbsent }),
  };
}

function nextDueAt(
  { candidates, more, nextDueAt }: DueListenerCandidates,
  { nextAt }: LeaseCheck,
  nextDeathAt: number,
  now: number,
): number | undefined {
  if (more) return now;
  const times = candidates
    .flatMap(({ isFull, next }) => (next && !isFull ? [next.getTime()] : []))
    .concat(nextDueAt ?? [], nextAt ?? [], nextDeathAt);
  const earliest = Math.min(...times);
  return earliest === Number.POSITIVE_INFINITY ? undefined : Math.max(earliest, now);
}
