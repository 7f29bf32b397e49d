import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { withStoreErrors } from './sqlite-errors.js';

/** False where other readers or writers prevent it: it may be tried again. */
export function truncateWal(database: Database.Database): boolean {
  const [outcome] = database.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: number }[]; // SQLite's one row
  return outcome?.busy === 0;
}

const retryBusyAfterMs = 20;

/**
 * Truncates the WAL, which still holds deleted data. Calls of the same turn share one run. Waits up to `busyTimeoutMs`
 * for others without blocking the thread; then throws `StoreUnavailable`.
 */
export function walTruncater(database: Database.Database, busyTimeoutMs: number): () => Promise<void> {
  let next: Promise<void> | undefined;

  async function empty(): Promise<void> {
    await nextTurn();
    next = undefined; // later callers may have deleted data that this run does not cover
    const deadline = performance.now() + busyTimeoutMs;
    while (!withStoreErrors(database.name, () => truncateWal(database))) {
      if (performance.now() > deadline) {
        throw new StoreUnavailable(
          'other connections prevent the truncation of the log, which still holds deleted data',
        );
      }
      await pause(retryBusyAfterMs);
    }
  }

  return () => {
    next ??= empty();
    return next;
  };
}
