import type Database from 'better-sqlite3';
import { limitBy } from '../../../stores/sqlite/limit-by.js';
import type { ListenerRow } from './delivery-to-lease.js';
import type { Leases } from './leases.js';

/** Keys of a listener's deliveries that are due and not leased, and when the next one may be. */
type DueDeliveries = { readonly due: readonly number[]; readonly nextDueAt: number | undefined };

/** Finds up to `room` due deliveries of a listener that are not leased. */
export type FindDue = (listener: ListenerRow, room: number, now: number) => DueDeliveries;

type Waiting = [key: number, dueAt: number];

export function openFindDue(database: Database.Database, leases: Leases): FindDue {
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

  /** Reads `room` deliveries beyond those under lease, and one more to learn when the next is due. */
  function findUnordered(listener: ListenerRow, room: number, now: number): DueDeliveries {
    const due: number[] = [];
    let firstExpiry: number | undefined;
    for (const [key, dueAt] of waitingOf.all(listener.key, leases.countOf(listener.key) + room + 1)) {
      const expiry = leases.expiryOf(key);
      if (expiry !== undefined) firstExpiry = earlier(firstExpiry, onQueueClock(expiry, now));
      else if (dueAt > now) return { due, nextDueAt: earlier(firstExpiry, dueAt) };
      else if (due.push(key) > room) return { due: due.slice(0, room), nextDueAt: now };
    }
    return { due, nextDueAt: firstExpiry };
  }

  function findHead(listener: ListenerRow, now: number): DueDeliveries {
    const firstExpiry = leases.firstExpiryOf(listener.key);
    if (firstExpiry !== undefined) return { due: [], nextDueAt: onQueueClock(firstExpiry, now) };
    const [key, dueAt] = headOf.get(listener.key) ?? [0, undefined];
    return dueAt === undefined || dueAt > now ? { due: [], nextDueAt: dueAt } : { due: [key], nextDueAt: undefined };
  }

  const onQueueClock = (monotonicTime: number, now: number): number =>
    now + Math.max(0, Math.ceil(monotonicTime - leases.monotonicNow()));

  return (listener, room, now) => (listener.ordered ? findHead(listener, now) : findUnordered(listener, room, now));
}

const earlier = (one: number | undefined, other: number): number => (one === undefined || other < one ? other : one);
