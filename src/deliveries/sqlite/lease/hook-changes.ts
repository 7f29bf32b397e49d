import type Database from 'better-sqlite3';

/** Tracks changes of the table of hooks, to invalidate what is cached of it. */
export type HookChanges = {
  /** A number that differs from the earlier one if a hook may have changed in between. */
  readonly count: () => number;
  /** This process has changed a hook. */
  readonly note: () => void;
  /** A transaction was rolled back, which invalidates what was read in it. */
  readonly rolledBack: () => void;
  /** Whether another process has written to the database since the last call; within a transaction. */
  readonly detectForeignWrites: () => boolean;
};

export function openHookChanges(database: Database.Database): HookChanges {
  const version = database.prepare<[], number>('PRAGMA data_version').pluck();
  let count = 0;
  let seen: number | undefined;

  return {
    count: () => count,
    note() {
      count += 1;
    },
    rolledBack() {
      count += 1;
      seen = undefined;
    },
    detectForeignWrites() {
      const now = version.get();
      if (now === seen) return false;
      seen = now;
      count += 1;
      return true;
    },
  };
}
