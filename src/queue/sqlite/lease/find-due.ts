import type Database from 'better-sqlite3';
import { limitBy } from '../../../stores/sqlite/database-file.js';
import { type ListenerRow, listenerColumns, parseListener, type StoredListener } from './leased-delivery.js';
import type { Leases } from './leases.js';
import type { ListenerChanges } from './listener-schedule.js';

type DueListener = { listener: ListenerRow; nextDue: number };

type Due = [key: number, nextDue: number];

/** Few listeners are often enough: few slots are free, or the first organisation is full. */
const firstPageSize = 32;

type Request = {
  pageSize: number;
  now: number;
  isPassedOver: (key: number) => boolean;
  isFull: (orgId: string) => boolean;
};

/** Infinite if no delivery waits. Cached until a listener changes. */
export function openFirstDue(database: Database.Database, changes: Pick<ListenerChanges, 'count'>): () => number {
  const read = database
    .prepare<[], number | null>('SELECT min(next_due) FROM listeners WHERE next_due IS NOT NULL')
    .pluck();
  let changesSeen: number | undefined;
  let first = Number.POSITIVE_INFINITY;
  return () => {
    if (changes.count() !== changesSeen) first = read.get() ?? Number.POSITIVE_INFINITY;
    changesSeen = changes.count();
    return first;
  };
}

export type DueListeners = (request: Request) => Iterable<DueListener>;

/**
 * Returns due listeners, the longest due first. After the first listener of a full organisation it goes round robin by
 * organisation, so that the backlog of one does not slow down the others.
 */
export function openDueListeners(database: Database.Database): DueListeners {
  const first = database
    .prepare<[number], Due>(
      `SELECT key, next_due FROM listeners WHERE next_due IS NOT NULL ORDER BY next_due, key ${limitBy()}`,
    )
    .raw();
  const following = database
    .prepare<[number, number, number], Due>(
      `SELECT key, next_due FROM listeners WHERE next_due IS NOT NULL AND (next_due, key) > (?, ?)
       ORDER BY next_due, key ${limitBy()}`,
    )
    .raw();
  const read = database.prepare<[number], StoredListener>(`SELECT ${listenerColumns} FROM listeners WHERE key = ?`);
  const organisationAfter = database
    .prepare<[string], string | null>('SELECT min(org_id) FROM listeners WHERE org_id > ? AND next_due IS NOT NULL')
    .pluck();
  const ofOrganisation = database
    .prepare<[string, number], Due>(
      `SELECT key, next_due FROM listeners WHERE org_id = ? AND next_due IS NOT NULL
       ORDER BY next_due, key ${limitBy()}`,
    )
    .raw();
  let lastOrganisation = '';

  const find = (key: number): ListenerRow => parseListener(read.get(key) as StoredListener);

  function* organisations(): Iterable<string> {
    const begin = lastOrganisation;
    let wrapped = false;
    for (let at = begin; ; ) {
      const next = organisationAfter.get(at) ?? undefined;
      if (next === undefined && wrapped) return;
      if (next === undefined) {
        wrapped = true;
        at = '';
      } else {
        if (wrapped && next > begin) return;
        at = next;
        lastOrganisation = next;
        yield next;
      }
    }
  }

  /** Adds the listeners it yields to `seen`. Returns true if it stopped at a full organisation. */
  function* longestDue(request: Request, seen: Set<number>): Generator<DueListener, boolean> {
    const { pageSize, now, isPassedOver, isFull } = request;
    let size = firstPageSize;
    for (let page = first.all(size); ; ) {
      for (const [key, nextDue] of page) {
        if (nextDue <= now && isPassedOver(key)) continue;
        const listener = find(key);
        if (nextDue <= now && isFull(listener.orgId)) return true;
        seen.add(key);
        yield { listener, nextDue };
        if (nextDue > now) return false;
      }
      const last = page.at(-1);
      if (!last || page.length < size) return false;
      size = pageSize;
      page = following.all(last[1], last[0], size);
    }
  }

  return function* dueListeners(request) {
    const { pageSize, now, isPassedOver, isFull } = request;
    const seen = new Set<number>();
    const stoppedAtFull = yield* longestDue(request, seen);
    if (!stoppedAtFull) return;
    for (const orgId of organisations()) {
      if (isFull(orgId)) continue;
      for (const [key, nextDue] of ofOrganisation.all(orgId, pageSize)) {
        if (seen.has(key) || (nextDue <= now && isPassedOver(key))) continue;
        yield { listener: find(key), nextDue };
        if (nextDue > now || isFull(orgId)) break;
      }
    }
  };
}

type DueDeliveries = { due: readonly number[]; nextDueAt: number | undefined };

/** Finds up to `capacity` due deliveries of a listener that are not leased, and when the next may be. */
export type FindDue = (listener: ListenerRow, capacity: number, now: number) => DueDeliveries;

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

  /** Reads `capacity` deliveries beyond those under lease, and one more to learn when the next is due. */
  function findUnordered(listener: ListenerRow, capacity: number, now: number): DueDeliveries {
    const due: number[] = [];
    for (const [key, dueAt] of waitingOf.all(listener.key, leases.countOf(listener.key) + capacity + 1)) {
      if (leases.has(key)) continue;
      if (dueAt > now) return { due, nextDueAt: dueAt };
      if (due.push(key) > capacity) return { due: due.slice(0, capacity), nextDueAt: now };
    }
    return { due, nextDueAt: undefined };
  }

  function findHead(listener: ListenerRow, now: number): DueDeliveries {
    if (leases.countOf(listener.key) > 0) return { due: [], nextDueAt: undefined };
    const [key, dueAt] = headOf.get(listener.key) ?? [0, undefined];
    return dueAt === undefined || dueAt > now ? { due: [], nextDueAt: dueAt } : { due: [key], nextDueAt: undefined };
  }

  return (listener, capacity, now) =>
    listener.subscription.ordered ? findHead(listener, now) : findUnordered(listener, capacity, now);
}
