import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { withStoreErrors } from './sqlite-errors.js';

/**
 * Moves the write-ahead log into the file and cuts it to nothing. False where others keep it from that, by reading or writing:
 * it may be tried again.
 */
export function emptyWriteAheadLog(database: Database.Database): boolean {
  const [outcome] = database.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: number }[]; // SQLite's one row
  return outcome?.busy === 0;
}

const retryBusyAfterMs = 20;

/**
 * Empties the write-ahead log, which still has what was deleted as it was when it was written. Those who ask in the same turn
 * share one run. Waits up to `busyTimeoutMs` for others who read or write, without blocking the thread; then throws
 * `StoreUnavailable`, and what was deleted is gone from everywhere but the log.
 */
export function logEmptier(database: Database.Database, busyTimeoutMs: number): () => Promise<void> {
  let next: Promise<void> | undefined;

  async function empty(): Promise<void> {
    await nextTurn();
    next = undefined; // who asks from now on may have deleted something that this run has not seen
    const deadline = performance.now() + busyTimeoutMs;
    while (!withStoreErrors(database.name, () => emptyWriteAheadLog(database))) {
      if (performance.now() > deadline) {
        throw new StoreUnavailable('others keep the log of the store from being emptied of what was deleted');
      }
      await pause(retryBusyAfterMs);
    }
  }

  return () => {
    next ??= empty();
    return next;
  };
}
