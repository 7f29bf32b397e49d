import type Database from 'better-sqlite3';

/** Tracks changes of the table of listeners, to invalidate what is cached of it. */
export type ListenerChanges = {
  /** A number that differs from the earlier one if a listener may have changed in between. */
  readonly count: () => number;
  /** This process has changed a listener. */
  readonly note: () => void;
  /** A transaction was rolled back, which invalidates what was read in it. */
  readonly rolledBack: () => void;
  /** Whether another process has written to the database since the last call; within a transaction. */
  readonly detectForeignWrites: () => boolean;
};

export function openListenerChanges(database: Database.Database): ListenerChanges {
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
