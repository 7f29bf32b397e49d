import type Database from 'better-sqlite3';
import type { FullyLeasedListeners } from './fully-leased-listeners.js';
import type { ListenerChanges } from './listener-changes.js';

/** When a listener is considered for leasing; within a transaction that the caller has begun. Times are the queue's. */
export type ListenerSchedule = {
  /** A delivery of the listener has become due. */
  readonly due: (key: number, now: number) => void;
  /** Reads when the listener's next delivery is due, after any other change: never, if its gate is closed or it is paused. */
  readonly renew: (key: number) => void;
  /** Like `renew`, after changes of leased deliveries only: dropping the lease has invalidated what is remembered of the listener. */
  readonly renewAfterLease: (key: number) => void;
  /** Keeps the listener's due deliveries back until that time. */
  readonly keepBack: (key: number, until: number) => void;
};

type ListenerFlags = { readonly ordered: number; readonly closed: number; readonly paused: number };

export function openListenerSchedule(
  database: Database.Database,
  {
    changes,
    fullyLeased,
  }: { readonly changes: ListenerChanges; readonly fullyLeased: Pick<FullyLeasedListeners, 'invalidate'> },
): ListenerSchedule {
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
    due: (key, now) => run(due, { key, now }),
    renew(key) {
      findNext(key);
      fullyLeased.invalidate(key);
    },
    renewAfterLease: findNext,
    keepBack: (key, until) => run(keepBack, { key, until }),
  };
}
