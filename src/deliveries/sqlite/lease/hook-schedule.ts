import type Database from 'better-sqlite3';
import type { HookChanges } from './hook-changes.js';
import type { Looks } from './looks.js';

/** When leasing looks at a hook; within a transaction that the caller has begun. Times are the queue's. */
export type HookSchedule = {
  /** Something of the hook has become due, of which `Looks` has been told. */
  readonly due: (key: number, now: number) => void;
  /** Finds out when its next one is due, after any other change. */
  readonly renew: (key: number) => void;
  /** The same, where all that has changed is what was under lease: dropping the lease has seen to the hook's look. */
  readonly renewAfterLease: (key: number) => void;
  /** Something of it is due, but has to wait until then. */
  readonly keepBack: (key: number, until: number) => void;
};

export function openHookSchedule(
  database: Database.Database,
  { changes, looks }: { readonly changes: HookChanges; readonly looks: Pick<Looks, 'forget'> },
): HookSchedule {
  // One that is kept back has something due already.
  const due = database.prepare(
    `UPDATE listeners SET next_due = @now
     WHERE key = @key AND due_since IS NULL AND (next_due IS NULL OR next_due > @now)`,
  );
  const isOrdered = database.prepare<[number], number>('SELECT ordered FROM listeners WHERE key = ?').pluck();
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
    const next = isOrdered.get(key) ? head : earliest; // as it is now: a lease may be older
    run(renew, { key, next: next.get(key) ?? null });
  };

  return {
    due: (key, now) => run(due, { key, now }),
    renew(key) {
      findNext(key);
      looks.forget(key);
    },
    renewAfterLease: findNext,
    keepBack: (key, until) => run(keepBack, { key, until }),
  };
}
