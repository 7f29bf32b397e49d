import type Database from 'better-sqlite3';
import type { LeasedBatch, LeasedDelivery, LeaseRequest } from '../../queue/delivery-queue.js';
import { afterStart, allowance, isHeldBack } from '../../queue/hook-health.js';
import { LeaseRoom } from '../../queue/lease-room.js';
import type { QueueClock } from '../../queue/queue-clock.js';
import type { Unwritten } from '../enqueue/unwritten.js';
import type { WriteBehind } from '../enqueue/write-behind.js';
import type { OnRollback } from '../grouped-calls.js';
import type { HookHealths } from '../outcomes/hook-healths.js';
import { openDueHooks, openFirstDue } from './due-hooks.js';
import type { HookChanges } from './hook-changes.js';
import type { HookSchedule } from './hook-schedule.js';
import { leaseUnwritten } from './lease-unwritten.js';
import { leasedDelivery } from './leased-delivery.js';
import type { Leases } from './leases.js';
import { type Found, openLook } from './look-into-hook.js';
import type { HookRow, Looks } from './looks.js';
import { openWaitingDeliveries } from './waiting-deliveries.js';

/** So many hooks that had as many under way as they may are remembered. */
const maxBusy = 10_000;

type Parts = {
  readonly clock: QueueClock;
  readonly healths: HookHealths;
  readonly leases: Leases;
  readonly looks: Looks;
  readonly schedule: HookSchedule;
  readonly behind: Pick<WriteBehind, 'writeAll'>;
  readonly changes: HookChanges;
  readonly unwritten: Unwritten;
};

/** Finds and leases what is due; within a transaction that the caller has begun. It writes only which hooks are kept back. */
export function leaseTaker(
  database: Database.Database,
  { behind, changes, clock, healths, leases, looks, schedule, unwritten }: Parts,
): (request: LeaseRequest, onRollback: OnRollback) => LeasedBatch {
  const dueHooks = openDueHooks(database, looks);
  const look = openLook(database, leases);
  const waitingDeliveries = openWaitingDeliveries(database);
  const firstDue = openFirstDue(database, changes);
  /** Hooks that had as many under way as they may, so that those are known without being read. */
  const busy = new Map<number, Pick<HookRow, 'listenerId' | 'orgId'>>();

  return (request, onRollback) => {
    leases.expire();
    unwritten.expire(leases.moment());
    if (request.ratePerSecond !== undefined) behind.writeAll(onRollback); // a rate goes by what is written
    const now = clock.at(request.now);
    const until = leases.moment() + request.leaseMs;
    const lease = leases.next();
    const deliveries: LeasedDelivery[] = [];
    const read = waitingDeliveries();
    const room = new LeaseRoom(request);
    let nextDueAt: number | undefined;

    function isPassedOver(key: number): boolean {
      const known = looks.of(key, now);
      if (known?.free.size === 0) {
        nextDueAt = earlier(nextDueAt, known.until);
        return true;
      }
      const hook = busy.get(key);
      return hook !== undefined && room.left > 0 && room.ofHook(hook) <= 0;
    }

    function noteBusy({ key, listenerId, orgId }: HookRow): void {
      if (busy.size >= maxBusy) busy.clear();
      busy.set(key, { listenerId, orgId });
    }

    function take(hook: HookRow, key: number): void {
      const { dueAt, ...delivery } = looks.take(hook.key, key) ?? read(key);
      const { id } = delivery;
      const ordered = hook.ordered === 1;
      leases.hold({ id, delivery: key, listener: hook.key, ordered, lease, until, dueAt, again: false });
      onRollback(() => leases.drop(id));
      deliveries.push(leasedDelivery(lease, hook, delivery));
    }

    function takeUnwritten(): void {
      const found = leaseUnwritten(unwritten, { room, held: { lease, until }, onRollback });
      deliveries.push(...found.deliveries);
      if (found.cutShort) nextDueAt = now;
    }

    /** Looks at up to `count` of a hook's due deliveries that nobody works on. */
    function lookInto(hook: HookRow, count: number): Found {
      const known = looks.of(hook.key, now);
      if (!known || (known.free.size < count && known.until <= now)) return look(hook, count, now);
      const { free, until } = known;
      const nextDueAt = until === Number.POSITIVE_INFINITY ? undefined : until;
      return { due: firstOf(free.keys(), count), nextDueAt: free.size > count || until <= now ? now : nextDueAt };
    }

    /** Takes of what is due as much as the hook's health and rate allow. Returns when there may be more of it. */
    function takeAllowed(hook: HookRow, due: readonly number[], nextOfHook: number | undefined): number | undefined {
      const perSecond = hook.ratePerSecond ?? request.ratePerSecond;
      const health = healths.of(hook.key, hook.health);
      const allowed = allowance(health, { wanted: due.length, now, perSecond });
      for (const key of due.slice(0, allowed.attempts)) take(hook, key);
      room.take(hook, allowed.attempts);
      let { askAgainAt } = allowed;
      if (allowed.attempts > 0 && isHeldBack(health, perSecond)) {
        const started = afterStart(health, { attempts: allowed.attempts, now, perSecond, probeMs: request.leaseMs });
        healths.remember(hook.key, started, onRollback);
        const isMore = allowed.attempts < due.length || (nextOfHook !== undefined && nextOfHook <= now);
        if (isMore) askAgainAt = allowance(started, { wanted: 1, now, perSecond }).askAgainAt;
      }
      if (askAgainAt === undefined) return noteFree(hook, allowed.attempts < due.length ? now : nextOfHook);
      schedule.keepBack(hook.key, askAgainAt);
      return askAgainAt;
    }

    /** Remembers it where all that is due of the hook is under lease. Returns when there is more. */
    function noteFree(hook: HookRow, nextOfHook: number | undefined): number | undefined {
      if (leases.countOf(hook.key) > 0 && nextOfHook !== now) {
        looks.noteNothingFree(hook, Math.min(nextOfHook ?? Number.POSITIVE_INFINITY, now + request.leaseMs));
        onRollback(() => looks.forget(hook.key));
      }
      return nextOfHook;
    }

    function takeWritten(first: number): void {
      if (first > now) {
        if (first < Number.POSITIVE_INFINITY) nextDueAt = earlier(nextDueAt, first);
        return;
      }
      // Those passed over are hooks that somebody works for, so there are no more of them than workers have slots.
      const expected = request.limit + leases.listeners + request.underWay.size + (request.hookLimits?.size ?? 0) + 1;
      for (const { hook, nextDue } of dueHooks({
        expected,
        now,
        isPassedOver,
        isFull: (orgId) => room.left > 0 && room.ofOrganisation(orgId) <= 0,
      })) {
        if (nextDue > now) {
          nextDueAt = earlier(nextDueAt, nextDue);
          continue;
        }
        if (room.left === 0) {
          nextDueAt = now;
          break;
        }
        const share = room.ofHook(hook);
        if (share <= 0) {
          noteBusy(hook);
          continue;
        }
        const found = lookInto(hook, Math.min(room.left, share));
        const nextOfHook =
          found.due.length > 0 ? takeAllowed(hook, found.due, found.nextDueAt) : noteFree(hook, found.nextDueAt);
        // What is beyond the hook's own share waits for its attempts to end, not for a time.
        if (found.due.length < share || nextOfHook !== now) nextDueAt = earlier(nextDueAt, nextOfHook);
      }
    }

    const first = firstDue();
    const steps = (unwritten.firstDue() ?? first) < first ? [takeUnwritten, takeWritten] : [takeWritten, takeUnwritten];
    for (const step of steps) step(first);
    return { deliveries, nextDueAt: nextDueAt === undefined ? undefined : clock.outside(nextDueAt) };
  };
}

function firstOf<Item>(items: Iterable<Item>, count: number): readonly Item[] {
  const first: Item[] = [];
  for (const item of items) {
    if (first.length >= count) break;
    first.push(item);
  }
  return first;
}

const earlier = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || (other !== undefined && other < one) ? other : one;
