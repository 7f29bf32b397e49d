import type Database from 'better-sqlite3';
import { limitBy } from '../../../stores/sqlite/limit-by.js';
import type { Leases } from './leases.js';
import type { HookRow } from './looks.js';

/** What a look into one hook's waiting deliveries found: what is free and due, and when there is more. */
export type Found = { readonly due: readonly number[]; readonly nextDueAt: number | undefined };

type Waiting = [key: number, dueAt: number];

/** Looks at up to `room` of a hook's due deliveries that nobody works on. */
export function openLook(
  database: Database.Database,
  leases: Leases,
): (hook: HookRow, room: number, now: number) => Found {
  const waitingOf = database
    .prepare<[number, number], Waiting>(
      `SELECT key, due_at FROM deliveries WHERE listener = ? AND state = 0 ORDER BY due_at, key ${limitBy()}`,
    )
    .raw();
  const headOf = database
    .prepare<[number], Waiting>(
      `SELECT key, due_at FROM deliveries WHERE listener = ? AND state = 0 AND turn IS NOT NULL
       ORDER BY turn, key LIMIT 1`,
    )
    .raw();

  /** Looks at `room` deliveries beyond those under lease, and one more to know what comes next. */
  function lookAtAll(hook: HookRow, room: number, now: number): Found {
    const due: number[] = [];
    let leaseEnds: number | undefined;
    for (const [key, dueAt] of waitingOf.all(hook.key, leases.countOf(hook.key) + room + 1)) {
      const until = leases.until(key);
      if (until !== undefined) leaseEnds = earlier(leaseEnds, onWallClock(until, now));
      else if (dueAt > now) return { due, nextDueAt: earlier(leaseEnds, dueAt) };
      else if (due.push(key) > room) return { due: due.slice(0, room), nextDueAt: now };
    }
    return { due, nextDueAt: leaseEnds };
  }

  function lookAtHead(hook: HookRow, now: number): Found {
    const leaseEnds = leases.firstEnd(hook.key);
    if (leaseEnds !== undefined) return { due: [], nextDueAt: onWallClock(leaseEnds, now) };
    const [key, dueAt] = headOf.get(hook.key) ?? [0, undefined];
    return dueAt === undefined || dueAt > now ? { due: [], nextDueAt: dueAt } : { due: [key], nextDueAt: undefined };
  }

  const onWallClock = (moment: number, now: number): number => now + Math.max(0, Math.ceil(moment - leases.moment()));

  return (hook, room, now) => (hook.ordered ? lookAtHead(hook, now) : lookAtAll(hook, room, now));
}

const earlier = (one: number | undefined, other: number): number => (one === undefined || other < one ? other : one);
