import type Database from 'better-sqlite3';
import type { OnRollback } from '../../../stores/sqlite/group-commit.js';

export type ListenerChanges = ReturnType<typeof openListenerChanges>;

/** Tracks changes of listeners, to invalidate caches. */
export function openListenerChanges(database: Database.Database) {
  const version = database.prepare<[], number>('PRAGMA data_version').pluck();
  let count = 0;
  let seen: number | undefined;
  let foreignWrites = false;

  return {
    count: (): number => count,
    note(): void {
      count += 1;
    },
    /** Invalidates what was read in the transaction. */
    rolledBack(): void {
      count += 1;
    },
    /** Returns whether anything may have changed since the last transaction. */
    detectForeignWrites(): boolean {
      const now = version.get();
      if (now === seen) return false;
      foreignWrites ||= seen !== undefined;
      seen = now;
      count += 1;
      return true;
    },
    /** Another process has written since `takeForeignWrites`. */
    hasForeignWrites: (): boolean => foreignWrites,
    takeForeignWrites(): boolean {
      const had = foreignWrites;
      foreignWrites = false;
      return had;
    },
  };
}

/**
 * Listeners whose due deliveries are all leased: leasing passes over them without reading. Any change of such a
 * listener or its deliveries invalidates its entry. Each has a lease, which bounds their number.
 */
export class FullyLeasedListeners {
  private readonly freeFrom = new Map<number, number>();

  /** Undefined: a delivery may be free now. */
  untilFree(listenerKey: number, now: number): number | undefined {
    const until = this.freeFrom.get(listenerKey);
    return until !== undefined && until > now ? until : undefined;
  }

  add(listenerKey: number, until: number, onRollback: OnRollback): void {
    this.freeFrom.set(listenerKey, until);
    onRollback(() => this.invalidate(listenerKey));
  }

  invalidate(listenerKey?: number): void {
    if (listenerKey === undefined) this.freeFrom.clear();
    else this.freeFrom.delete(listenerKey);
  }
}

type ListenerFlags = { ordered: number; closed: number; paused: number };

type Caches = { changes: ListenerChanges; fullyLeased: Pick<FullyLeasedListeners, 'invalidate'> };

/** The times from which listeners have deliveries to lease, in queue time. */
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
    const listener = find.get(key);
    // Its deliveries may wait although it is paused or closed, until a long change is done.
    const next = listener?.closed || listener?.paused ? null : (listener?.ordered ? head : earliest).get(key);
    run(renew, { key, next: next ?? null });
  };

  return {
    due: (key: number, now: number): void => run(due, { key, now }),
    /** Reads the listener's next due time after any change; never due if closed or paused. */
    renew(key: number): void {
      findNext(key);
      fullyLeased.invalidate(key);
    },
    /** Serves changes of leased deliveries only: dropping the lease has invalidated the cache. */
    renewAfterLease: findNext,
    keepBack: (key: number, until: number): void => run(keepBack, { key, until }),
  };
}
