import type Database from 'better-sqlite3';
import type { OnRollback } from '../../../stores/sqlite/group-commit.js';

export type ListenerChanges = ReturnType<typeof openListenerChanges>;

/** Tracks changes of the table of listeners, to invalidate what is cached of it. */
export function openListenerChanges(database: Database.Database) {
  const version = database.prepare<[], number>('PRAGMA data_version').pluck();
  let count = 0;
  let seen: number | undefined;

  return {
    /** A number that differs from the earlier one if a listener may have changed in between. */
    count: (): number => count,
    /** Notes a change by this process. */
    note(): void {
      count += 1;
    },
    /** Notes that a transaction was rolled back, which invalidates what was read in it. */
    rolledBack(): void {
      count += 1;
      seen = undefined;
    },
    /** Returns true if another process has written to the database since the last call; within a transaction. */
    detectForeignWrites(): boolean {
      const now = version.get();
      if (now === seen) return false;
      seen = now;
      count += 1;
      return true;
    },
  };
}

/**
 * Listeners whose due deliveries are all under lease, in memory: their rows say that they are due, and leasing passes over them
 * without reading anything. Any change of such a listener or its deliveries has to invalidate its entry. Every entry belongs to a
 * listener with a lease, which bounds their number.
 */
export class FullyLeasedListeners {
  private readonly freeFrom = new Map<number, number>();

  /** Time from which a delivery of the listener may be free again, on the queue's clock; undefined: now. */
  untilFree(listenerKey: number, now: number): number | undefined {
    const until = this.freeFrom.get(listenerKey);
    return until !== undefined && until > now ? until : undefined;
  }

  /** Remembers that no delivery of the listener is both due and free before `until`. */
  add(listenerKey: number, until: number, onRollback: OnRollback): void {
    this.freeFrom.set(listenerKey, until);
    onRollback(() => this.invalidate(listenerKey));
  }

  /** Removes the entry of this listener, or all entries. */
  invalidate(listenerKey?: number): void {
    if (listenerKey === undefined) this.freeFrom.clear();
    else this.freeFrom.delete(listenerKey);
  }
}

type ListenerFlags = { readonly ordered: number; readonly closed: number; readonly paused: number };

type Caches = { readonly changes: ListenerChanges; readonly fullyLeased: Pick<FullyLeasedListeners, 'invalidate'> };

/** The times from which listeners have deliveries to lease; within a transaction that the caller has begun. Times are the queue's. */
export function openListenerSchedule(database: Database.Database, { changes, fullyLeased }: Caches) {
  // A listener that is kept back has a due delivery already.
  const due = database.prepare(
    `UPDATE listeners SET next_due = @now
     WHERE key = @key AND closed = 0 AND paused = 0 AND due_since IS NULL AND (next_due IS NULL OR next_due > @now)`,
  );
  const find = database.prepare<[number], ListenerFlags>('SELECT ordered, closed, paused FROM listeners WHERE key = ?');
  const earliest = database
    .prepare<[number], number | null>('SELECT min(due_at) FROM deliveries WHERE listener = ? AND state = 0')
    .pluck();
  const head = database
    .prepare<[number], number | null>(
      `SELECT due_at FROM deliveries WHERE listener = ? AND state = 0 AND turn IS NOT NULL
       ORDER BY turn, key LIMIT 1`,
    )
    .pluck();
  const renew = database.prepare(
    `UPDATE listeners SET next_due = @next, due_since = NULL
     WHERE key = @key AND (next_due IS NOT @next OR due_since IS NOT NULL)`,
  );
  const keepBack = database.prepare(
    'UPDATE listeners SET due_since = ifnull(due_since, next_due), next_due = @until WHERE key = @key',
  );

  function run(change: Database.Statement, parameters: object): void {
    if (change.run(parameters).changes > 0) changes.note();
  }

  const findNext = (key: number): void => {
    const listener = find.get(key); // the current row: it may have changed since the lease
    // Some of its deliveries may wait although it is paused or closed, until a long change is done.
    const next = listener?.closed || listener?.paused ? null : (listener?.ordered ? head : earliest).get(key);
    run(renew, { key, next: next ?? null });
  };

  return {
    /** A delivery of the listener has become due. */
    due: (key: number, now: number): void => run(due, { key, now }),
    /** Reads when the listener's next delivery is due, after any other change: never, if its gate is closed or it is paused. */
    renew(key: number): void {
      findNext(key);
      fullyLeased.invalidate(key);
    },
    /** Like `renew`, after changes of leased deliveries only: dropping the lease has invalidated what is remembered of the listener. */
    renewAfterLease: findNext,
    /** Keeps the listener's due deliveries back until that time. */
    keepBack: (key: number, until: number): void => run(keepBack, { key, until }),
  };
}
