import { randomUUID } from 'node:crypto';
import type { Lease, LeasedDelivery, LeaseRequest } from '../delivery-queue.js';
import { type Claim, openClaims } from './claims.js';
import type { Collections } from './collections.js';
import { type Due, dueFinder, type Look } from './find-due.js';
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
export function leaseTaker(collections: Collections, tally: Tally): (request: LeaseRequest) => Promise<Lease> {
  const { targets } = collections;
  const findDue = dueFinder(collections);
  const claims = openClaims(collections, tally);

  async function moveHints(looks: readonly Look[], leasedUntil: Date): Promise<void> {
    const updates = looks.flatMap((look) => {
      const { _id, wakes, nextDue } = look.hook;
      const again = nextLook(look, leasedUntil);
      if (again?.getTime() === nextDue.getTime()) return [];
      const update = again ? { $set: { nextDue: again } } : { $unset: { nextDue: '' as const } };
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
      const due = await findDue({ limit: limit - deliveries.length, perListener, underWay: busy, now });
      const found = due.looks.flatMap((look) => look.due);
      const all = (await claims.take(found, claim)) === found.length;
      const [leased] = await Promise.all([claims.read(found, claim), all && moveHints(due.looks, claim.until)]);
      for (const { listenerId } of leased) busy.set(listenerId, (busy.get(listenerId) ?? 0) + 1);
      deliveries.push(...leased);
      if (all) return { deliveries, nextDueAt: nextDueAt(due, claim) };
      if (round === maxRounds) return { deliveries, nextDueAt: now };
    }
  };
}

/** When one of the hook's deliveries may be leased again: one that is left, or one of these whose lease runs out. */
const nextLook = ({ due, next }: Look, leasedUntil: Date): Date | undefined =>
  due.length > 0 && (next === undefined || leasedUntil < next) ? leasedUntil : next;

/** What is beyond a hook's own share waits for its attempts to end, not for a time. */
function nextDueAt({ looks, nextDueAt }: Due, { now, until }: Claim): number | undefined {
  const times = looks
    .filter(({ due, share }) => due.length < share)
    .flatMap((look) => nextLook(look, until)?.getTime() ?? [])
    .concat(nextDueAt ?? []);
  return times.length === 0 ? undefined : Math.max(Math.min(...times), now.getTime());
}
