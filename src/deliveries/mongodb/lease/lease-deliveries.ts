import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { watchTrouble } from '../../../kernel/trouble.js';
import { asMongoError } from '../../../stores/mongodb/mongodb-errors.js';
import type { Lease, LeasedDelivery, LeaseRequest } from '../../queue/delivery-queue.js';
import { LeaseRoom } from '../../queue/lease-room.js';
import type { Collections } from '../collections.js';
import type { ServerClock } from '../server-clock.js';
import type { Tally } from '../tally.js';
import { openClaims } from './claims.js';
import { type Due, dueFinder, type Look } from './find-due.js';
import type { FreedDeliveries, Rechecked } from './freed-deliveries.js';
import { hookStarter } from './start-hooks.js';

type Parts = {
  readonly tally: Tally;
  readonly freed: FreedDeliveries;
  readonly clock: ServerClock;
  readonly log: Logger | undefined;
};

/** So often what somebody else was quicker to take is made up for by looking again, before the caller is told to. */
const maxRounds = 20;

/**
 * Leases what is due. Workers of several instances compete by a guarded update, which each delivery lets only one of them
 * make; its lease is on it, so nobody has to be told of it, and when its holder dies it runs out.
 *
 * Leases end by the server's clock, so neither instances whose clocks differ nor a clock that is set take over what is
 * under way. Where the server's own clock is set forward, they do, and posts are repeated. Never does it lead to a post
 * after an unsubscribe: permits go by the monotonic clock of whoever posts.
 */
export function leaseTaker(
  collections: Collections,
  { tally, freed, clock, log }: Parts,
): (request: LeaseRequest) => Promise<Lease> {
  const { targets } = collections;
  const findDue = dueFinder(collections);
  const hooks = hookStarter(collections);
  const claims = openClaims(collections, tally);
  const trouble = log && watchTrouble(log, 'writing when hooks are due next');

  async function moveHints(looks: readonly Look[]): Promise<void> {
    const updates = looks.flatMap(({ hook, next, dueSince }) => {
      if (isSame(next, hook.nextDue) && isSame(dueSince, hook.dueSince)) return [];
      const { _id, wakes } = hook;
      return [{ updateOne: { filter: { _id, wakes, closed: false }, update: toHints({ nextDue: next, dueSince }) } }];
    });
    if (updates.length === 0) return;
    try {
      await targets.bulkWrite(updates, { ordered: false, writeConcern: { w: 1 } });
      trouble?.over();
    } catch (error) {
      // The hooks are looked at once more than needed. Thrown, it would leave what was claimed waiting for the lease's end.
      trouble?.met(asMongoError(error));
    }
  }

  return async (request) => {
    const { leaseMs, now } = request;
    const times = { now, moment: await clock.moment() };
    const claim = { token: randomUUID(), now: new Date(now), until: new Date(times.moment + leaseMs) };
    const room = new LeaseRoom(request);
    const deliveries: LeasedDelivery[] = [];

    for (let round = 1; ; round += 1) {
      const [due, rechecked] = await Promise.all([findDue({ ...request, ...times, room }), freed.recheck(times)]);
      const started = await hooks.start(due.looks, claim);
      const found = started.flatMap((look) => look.due);
      const taken = await claims.take(found, claim);
      const all = started.length === due.looks.length && taken === found.length;
      const [leased] = await Promise.all([claims.read(found, claim), all && moveHints(due.looks)]);
      await hooks.giveBack(started, leased, claim);
      for (const delivery of leased) room.take(delivery, 1);
      deliveries.push(...leased);
      const over = all && rechecked.freed === 0 && !(due.more && room.left > 0);
      if (over) return { deliveries, nextDueAt: nextDueAt(due, rechecked, now) };
      if (room.left === 0 || round === maxRounds) return { deliveries, nextDueAt: now };
    }
  };
}

const isSame = (one: Date | undefined, other: Date | undefined): boolean => one?.getTime() === other?.getTime();

function toHints({ nextDue, dueSince }: { readonly nextDue: Date | undefined; readonly dueSince: Date | undefined }) {
  const isAbsent = { ...(!nextDue && { nextDue: '' as const }), ...(!dueSince && { dueSince: '' as const }) };
  return {
    ...((nextDue || dueSince) && { $set: { ...(nextDue && { nextDue }), ...(dueSince && { dueSince }) } }),
    ...(Object.keys(isAbsent).length > 0 && { $unset: isAbsent }),
  };
}

function nextDueAt({ looks, more, nextDueAt }: Due, { nextAt }: Rechecked, now: number): number | undefined {
  if (more) return now;
  const times = looks
    .flatMap(({ isFull, next }) => (next && !isFull ? [next.getTime()] : []))
    .concat(nextDueAt ?? [], nextAt ?? []);
  return times.length === 0 ? undefined : Math.max(Math.min(...times), now);
}
