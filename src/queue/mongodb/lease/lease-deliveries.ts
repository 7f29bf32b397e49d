import type { Logger } from 'pino';
import { watchFailures } from '../../../kernel/failures.js';
import { updateEach } from '../../../stores/mongodb/bulk-writes.js';
import { asMongoError } from '../../../stores/mongodb/mongodb-errors.js';
import type { LeasedBatch, LeasedDelivery, LeaseRequest } from '../../leasing.js';
import { LeaseCapacity } from '../../policy/fair-sharing.js';
import { partitionOf } from '../../policy/partition.js';
import type { StoredQueue } from '../../stored-queue.js';
import type { StoredGates } from '../listeners/gates.js';
import { compareAndSetListeners } from '../outcomes/compare-and-set-listeners.js';
import type { Shared } from '../shared.js';
import { type DueListenerCandidates, type ListenerCandidates, openFindDue } from './find-due.js';
import type { CandidateDelivery } from './find-waiting.js';
import { openReadLeased } from './read-leased.js';

/**
 * Maximum number of rounds in which lost races are repeated, before the caller is asked to lease again: it bounds the
 * call.
 */
const maxRounds = 20;

type Parts = {
  gates: Pick<StoredGates, 'provePrimary' | 'withdrawBehind'>;
  log: Logger | undefined;
};

/**
 * Leases due deliveries of the partitions that this process owns, which it alone attempts: they are under way in its memory, and no row
 * is written. One call at a time.
 *
 * Deliveries and gates are read after a proof that the server is the primary: what is read as open was open at the moment of the proof,
 * even if another server was elected in between.
 */
export function openLease(
  shared: Shared,
  { gates, log }: Parts,
): Required<Pick<StoredQueue, 'leaseNextOf'>> & { lease: (request: LeaseRequest) => Promise<LeasedBatch> } {
  const { collections, announced, underWay, rowsAhead } = shared;
  const { listeners } = collections;
  const findDue = openFindDue(shared);
  const read = openReadLeased(shared, gates);
  const failures = log && watchFailures(log, 'writing when listeners are due next');

  /**
   * Reserves, before anything is sent, attempts of the rate limit and the probe of a circuit breaker. Returns the candidates that may be
   * leased; the others have to be read again. Unused attempts are lost.
   */
  async function reserve(candidates: readonly ListenerCandidates[]): Promise<readonly ListenerCandidates[]> {
    const changes = candidates.flatMap(({ listener, health }) => (health ? [{ listener, set: { health } }] : []));
    const reserved = await compareAndSetListeners(collections, changes);
    return candidates.filter(({ listener, health }) => !health || reserved.has(listener._id));
  }

  /** Returns whether they could be written. */
  async function moveDueBounds(candidates: readonly ListenerCandidates[], now: number): Promise<boolean> {
    const updates = candidates.flatMap(({ listener, dueBound, dueSince }) => {
      if (isSame(dueSince, listener.dueSince) && isNearlySame(dueBound, listener.nextDue, now)) return [];
      const { _id, hintVersion } = listener;
      return [{ filter: { _id, hintVersion, closed: false }, update: toDueBounds({ nextDue: dueBound, dueSince }) }];
    });
    if (updates.length === 0) return true;
    try {
      await updateEach(listeners, updates, { writeConcern: { w: 1 } });
      failures?.recovered();
      return true;
    } catch (error) {
      // If this were thrown, the leased deliveries would be attempted late.
      failures?.record(asMongoError(error));
      return false;
    }
  }

  /** Leases what it can of the candidates. `all`: there was no race. */
  async function leaseSome(candidates: readonly ListenerCandidates[], now: number) {
    const readAt = performance.now();
    const reserved = await reserve(candidates);
    const found = await read(reserved);
    const leased = found.flatMap((one) => one.leased.map(({ delivery }) => delivery));
    const has = new Set(leased.map(({ id }) => id));
    for (const { listener, stored, leased: rows, ahead } of found) {
      for (const { row } of rows) underWay.add(row);
      const [current] = rows;
      if (current && listener.subscription.ordered)
        rowsAhead.put({ found: listener, read: stored, current, rows: ahead, readAt });
    }
    const isMoved = await moveDueBounds(reserved, now);
    for (const { listener, due, next, underWay: before } of reserved) {
      const isInFront = due.length + before.length > 0 || !isMoved;
      if (isInFront && due.every(({ _id }) => has.has(_id)))
        underWay.noteLook(listener, next?.getTime() ?? Number.POSITIVE_INFINITY, [...before, ...idsOf(due)]);
    }
    return { all: reserved.length === candidates.length, leased };
  }

  /** Adds what it leases to `deliveries`, also if it rejects. */
  async function leaseAll(request: LeaseRequest, deliveries: LeasedDelivery[]): Promise<LeasedBatch> {
    const { now } = request;
    const capacity = new LeaseCapacity(request);
    let seenAt = Number.POSITIVE_INFINITY;
    const prove = async () => {
      seenAt = Math.min(seenAt, await gates.provePrimary({ shared: true }));
    };
    await announced.announceLeft();
    for (let round = 1; ; round += 1) {
      const due = await findDue({ ...request, prove, capacity });
      const { all, leased } = await leaseSome(due.candidates, now);
      for (const delivery of leased) capacity.take(delivery, 1);
      deliveries.push(...leased);
      const isOver = all && !(due.more && capacity.left > 0);
      if (!isOver && capacity.left > 0 && round < maxRounds) continue;
      const isHeld = heldBy(request, deliveries, shared.partitions);
      const found = { deliveries, ...capacity.saturated(), ...(deliveries.length > 0 && { seenAt, isHeld }) };
      shared.nextRowDue.at = isOver ? nextDueAt(due, now) : now;
      return { ...found, nextDueAt: shared.nextRowDue.at };
    }
  }

  return {
    async lease(asked) {
      useLeases(shared, asked);
      const deliveries: LeasedDelivery[] = [];
      try {
        return await leaseAll({ ...asked, partitions: stillHeld(asked.partitions) }, deliveries);
      } catch (error) {
        for (const { id } of deliveries) underWay.remove(id); // the caller attempts none of them
        throw error;
      }
    },
    async leaseNextOf(listenerIds, request) {
      useLeases(shared, request);
      if (listenerIds.length === 0) return { deliveries: [], nextDueAt: undefined };
      const seenAt = await gates.provePrimary({ shared: true });
      const deliveries = rowsAhead.lease(listenerIds, request);
      return { deliveries, seenAt, isHeld: heldBy(request, deliveries, shared.partitions), nextDueAt: undefined };
    },
  };
}

function useLeases({ owned, calm }: Shared, { partitions }: LeaseRequest): void {
  owned.partitions = partitions;
  calm.use(partitions?.values() ?? []);
}

const idsOf = (rows: readonly CandidateDelivery[]): readonly string[] => rows.map(({ _id }) => _id);

/** The partitions that are held now. */
const stillHeld = (partitions: LeaseRequest['partitions']) =>
  partitions && new Map([...partitions].filter(([, lease]) => lease.isHeld()));

/** False once another instance may own a partition of the deliveries. */
function heldBy(
  { partitions }: LeaseRequest,
  deliveries: readonly LeasedDelivery[],
  count: number | undefined,
): () => boolean {
  if (!partitions || count === undefined) return () => true;
  const leases = new Set(deliveries.map(({ orgId }) => partitions.get(partitionOf(orgId, count))));
  return () => [...leases].every((lease) => lease?.isHeld());
}

const isSame = (one: Date | undefined, other: Date | undefined): boolean => one?.getTime() === other?.getTime();

/** Bounds that have passed and differ by less. */
const boundsDifferMs = 1_000;

const isNearlySame = (dueBound: Date | undefined, stored: Date, now: number): boolean =>
  isSame(dueBound, stored) ||
  (dueBound !== undefined &&
    dueBound.getTime() <= now &&
    Math.abs(dueBound.getTime() - stored.getTime()) < boundsDifferMs);

function toDueBounds({ nextDue, dueSince }: { nextDue: Date | undefined; dueSince: Date | undefined }) {
  const isAbsent = { ...(!nextDue && { nextDue: '' as const }), ...(!dueSince && { dueSince: '' as const }) };
  return {
    ...((nextDue || dueSince) && { $set: { nextDue, dueSince } }),
    ...(Object.keys(isAbsent).length > 0 && { $unset: isAbsent }),
  };
}

function nextDueAt({ candidates, more, nextDueAt }: DueListenerCandidates, now: number): number | undefined {
  if (more) return now;
  const times = candidates.flatMap(({ isFull, next }) => (next && !isFull ? [next.getTime()] : []));
  const earliest = Math.min(...times, nextDueAt ?? Number.POSITIVE_INFINITY);
  return earliest === Number.POSITIVE_INFINITY ? undefined : Math.max(earliest, now);
}
