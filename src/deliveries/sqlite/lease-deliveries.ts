import type Database from 'better-sqlite3';
import type { Lease, LeasedDelivery, LeaseRequest } from '../delivery-queue.js';
import { afterStart, allowance, isHeldBack } from '../hook-health.js';
import type { QueueClock } from '../queue-clock.js';
import { type DueHook, openDueHooks } from './due-hooks.js';
import type { OnRollback } from './grouped-calls.js';
import type { HookHealths } from './hook-healths.js';
import type { HookSchedule } from './hook-schedule.js';
import type { Leases } from './leases.js';
import { openLook } from './look-into-hook.js';
import { leasedFor } from './take-new.js';

type Row = {
  readonly id: string;
  readonly webhookId: string;
  readonly replay: string | null;
  readonly attempts: number;
  readonly enqueuedAt: number;
  readonly message: number;
};
type MessageRow = { readonly eventId: string; readonly eventType: string; readonly body: string };

/** So many hooks that had as many under way as they may are remembered. */
const maxBusy = 10_000;

type Parts = {
  readonly clock: QueueClock;
  readonly healths: HookHealths;
  readonly leases: Leases;
  readonly schedule: HookSchedule;
};

/** Finds and leases what is due; within a transaction that the caller has begun. It writes only which hooks are kept back. */
export function leaseTaker(
  database: Database.Database,
  { clock, healths, leases, schedule }: Parts,
): (request: LeaseRequest, onRollback: OnRollback) => Lease {
  const dueHooks = openDueHooks(database);
  const look = openLook(database, leases);
  const changesOfOthers = database.prepare<[], number>('PRAGMA data_version').pluck();
  let changesSeen: number | undefined;
  /** The listener ids of hooks that had as many under way as they may, so that those are known without being read. */
  const busy = new Map<number, string>();
  const findDelivery = database.prepare<[number], Row>(
    `SELECT id, webhook_id AS webhookId, replay, attempts, enqueued_at AS enqueuedAt, message
     FROM deliveries WHERE key = ?`,
  );
  const findMessage = database.prepare<[number], MessageRow>(
    'SELECT event_id AS eventId, type AS eventType, body FROM messages WHERE key = ?',
  );

  return (request, onRollback) => {
    const { limit, perListener, underWay, perOrganisation = Number.POSITIVE_INFINITY, underWayOf, leaseMs } = request;
    leases.expire();
    const changes = changesOfOthers.get();
    if (changes !== changesSeen) leases.lookAgain(); // another process may have enqueued something
    changesSeen = changes;
    const now = clock.at(request.now);
    const until = leases.moment() + leaseMs;
    const lease = leases.next();
    const deliveries: LeasedDelivery[] = [];
    const messages = new Map<number, MessageRow>();
    const takenOf = new Map<string, number>();
    let nextDueAt: number | undefined;

    const shareOf = (orgId: string): number =>
      perOrganisation - (underWayOf?.get(orgId) ?? 0) - (takenOf.get(orgId) ?? 0);

    const roomOf = (listenerId: string): number => perListener - (underWay.get(listenerId) ?? 0);

    function isPassedOver(key: number): boolean {
      const nothingFreeUntil = leases.nothingFreeUntil(key);
      if (nothingFreeUntil !== undefined && nothingFreeUntil > now) {
        nextDueAt = earlier(nextDueAt, nothingFreeUntil);
        return true;
      }
      const listenerId = busy.get(key);
      return listenerId !== undefined && roomOf(listenerId) <= 0;
    }

    function noteBusy({ key, listenerId }: DueHook): void {
      if (busy.size >= maxBusy) busy.clear();
      busy.set(key, listenerId);
    }

    function take(hook: DueHook, key: number): void {
      const row = findDelivery.get(key) as Row; // the index has just named it
      const { id, webhookId, replay, attempts, enqueuedAt } = row;
      const message = messages.get(row.message) ?? (findMessage.get(row.message) as MessageRow); // as above
      messages.set(row.message, message);
      leases.hold(id, { delivery: key, listener: hook.key, ordered: hook.ordered === 1, lease, until, again: false });
      onRollback(() => leases.drop(id));
      deliveries.push({
        id,
        webhookId,
        lease,
        attempt: attempts + 1,
        enqueuedAt,
        ...leasedFor(hook),
        ...message,
        ...(replay !== null && { replay }),
      });
    }

    /** Takes of what is due as much as the hook's health and rate allow. Returns when there may be more of it. */
    function takeAllowed(hook: DueHook, due: readonly number[], nextOfHook: number | undefined): number | undefined {
      const perSecond = hook.ratePerSecond ?? request.ratePerSecond;
      const health = healths.of(hook.key, hook.health);
      const allowed = allowance(health, { wanted: due.length, now, perSecond });
      for (const key of due.slice(0, allowed.attempts)) take(hook, key);
      takenOf.set(hook.orgId, (takenOf.get(hook.orgId) ?? 0) + allowed.attempts);
      let { askAgainAt } = allowed;
      if (allowed.attempts > 0 && isHeldBack(health, perSecond)) {
        const started = afterStart(health, { attempts: allowed.attempts, now, perSecond, probeMs: leaseMs });
        healths.remember(hook.key, started, onRollback);
        const isMore = allowed.attempts < due.length || (nextOfHook !== undefined && nextOfHook <= now);
        if (isMore) askAgainAt = allowance(started, { wanted: 1, now, perSecond }).askAgainAt;
      }
      if (askAgainAt === undefined) return allowed.attempts < due.length ? now : nextOfHook;
      schedule.keepBack(hook.key, askAgainAt);
      return askAgainAt;
    }

    // Those passed over are hooks that somebody works for, so there are no more of them than workers have slots.
    const expected = limit + leases.listeners + underWay.size + 1;
    for (const hook of dueHooks({ expected, now, isPassedOver, isFull: (orgId) => shareOf(orgId) <= 0 })) {
      if (hook.nextDue > now) {
        nextDueAt = earlier(nextDueAt, hook.nextDue);
        continue;
      }
      const left = limit - deliveries.length;
      const room = roomOf(hook.listenerId);
      if (room <= 0) noteBusy(hook);
      const share = Math.min(room, shareOf(hook.orgId));
      if (share <= 0) continue;
      if (left === 0) {
        nextDueAt = now;
        break;
      }
      const found = look(hook, Math.min(left, share), now);
      const nextOfHook = found.due.length > 0 ? takeAllowed(hook, found.due, found.nextDueAt) : found.nextDueAt;
      if (leases.countOf(hook.key) > 0 && nextOfHook !== now) {
        leases.noteNothingFree(hook.key, Math.min(nextOfHook ?? Number.POSITIVE_INFINITY, now + leaseMs));
      }
      // What is beyond the hook's own share waits for its attempts to end, not for a time.
      if (found.due.length < share || nextOfHook !== now) nextDueAt = earlier(nextDueAt, nextOfHook);
    }
    return { deliveries, nextDueAt: nextDueAt === undefined ? undefined : clock.outside(nextDueAt) };
  };
}

const earlier = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || (other !== undefined && other < one) ? other : one;
