import type Database from 'better-sqlite3';

/** Notices changes of the table of hooks, for those who remember what they have read of it. */
export type HookChanges = {
  /** Another number than before wherever a hook may have changed since. */
  readonly count: () => number;
  /** This process changes a hook. */
  readonly note: () => void;
  /** A transaction was taken back, and with it whatever was read in it. */
  readonly takenBack: () => void;
  /** Whether another process has written anything since this was asked last; within a transaction. */
  readonly lookForOthers: () => boolean;
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
    takenBack() {
      count += 1;
      seen = undefined;
    },
    lookForOthers() {
      const now = version.get();
      if (now === seen) return false;
      seen = now;
      count += 1;
      return true;
    },
  };
}
