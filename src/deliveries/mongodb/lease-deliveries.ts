import { randomUUID } from 'node:crypto';
import type { Lease, LeasedDelivery, LeaseRequest } from '../delivery-queue.js';
import { openClaims } from './claims.js';
import type { Collections } from './collections.js';
import { type Due, dueFinder, type Look } from './find-due.js';
import type { FreedDeliveries, Rechecked } from './freed-deliveries.js';
import type { Tally } from './tally.js';

/** So often what somebody else was quicker to take is made up for by looking again, before the caller is told to. */
const maxRounds = 20;

/**
 * Leases what is due. Workers of several instances compete by a guarded update, which each delivery lets only one of them
 * make; its lease is on it, so nobody has to be told of it, and when its holder dies it runs out.
 *
 * All times are the callers'. Where their clocks differ, a lease seems to end earlier or later to another instance: one
 * that is ahead by more than the rest of a lease takes the delivery over while it is under way, which repeats the post.
 * Never does it lead to a post after an unsubscribe: permits go by the monotonic clock of whoever posts.
 */
export function leaseTaker(
  collections: Collections,
  { tally, freed }: { readonly tally: Tally; readonly freed: FreedDeliveries },
): (request: LeaseRequest) => Promise<Lease> {
  const { targets } = collections;
  const findDue = dueFinder(collections);
  const claims = openClaims(collections, tally);

  async function moveHints(looks: readonly Look[]): Promise<void> {
    const updates = looks.flatMap(({ hook: { _id, wakes, nextDue }, next }) => {
      if (next?.getTime() === nextDue.getTime()) return [];
      const update = next ? { $set: { nextDue: next } } : { $unset: { nextDue: '' as const } };
      return [{ updateOne: { filter: { _id, wakes, closed: false }, update } }];
    });
    // Where that is lost, the hook is looked at once more than needed.
    if (updates.length > 0) await targets.bulkWrite(updates, { ordered: false, writeConcern: { w: 1 } });
  }

  return async ({ limit, perListener, underWay, leaseMs, now }) => {
    const claim = { token: randomUUID(), now: new Date(now), until: new Date(now + leaseMs) };
    const deliveries: LeasedDelivery[] = [];
    const busy = new Map(underWay);

    for (let round = 1; ; round += 1) {
      const [due, rechecked] = await Promise.all([
        findDue({ limit: limit - deliveries.length, perListener, underWay: busy, now }),
        freed.recheck(now),
      ]);
      const found = due.looks.flatMap((look) => look.due);
      const all = (await claims.take(found, claim)) === found.length;
      const [leased] = await Promise.all([claims.read(found, claim), all && moveHints(due.looks)]);
      for (const { listenerId } of leased) busy.set(listenerId, (busy.get(listenerId) ?? 0) + 1);
      deliveries.push(...leased);
      if (all && rechecked.freed === 0) return { deliveries, nextDueAt: nextDueAt(due, rechecked, now) };
      if (deliveries.length === limit || round === maxRounds) return { deliveries, nextDueAt: now };
    }
  };
}

/** What is beyond a hook's own share waits for its attempts to end, not for a time. */
function nextDueAt({ looks, nextDueAt }: Due, { nextAt }: Rechecked, now: number): number | undefined {
  const times = looks
    .flatMap(({ due, share, next }) => (next && due.length < share ? [next.getTime()] : []))
    .concat(nextDueAt ?? [], nextAt ?? []);
  return times.length === 0 ? undefined : Math.max(Math.min(...times), now);
}
