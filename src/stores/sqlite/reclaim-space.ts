import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { withStoreErrors } from './sqlite-errors.js';

/** False where other readers or writers prevent it: it may be tried again. */
export function truncateWal(database: Database.Database): boolean {
  const [outcome] = database.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]; // SQLite's one row
  return outcome?.busy === 0;
}

const retryBusyAfterMs = 20;

/**
 * Truncates the WAL, which still holds deleted data. Calls of the same turn share one run. Waits up to `busyTimeoutMs`
 * for others without blocking the thread; then throws `StoreUnavailable`.
 */
export function truncateWalOf(database: Database.Database, busyTimeoutMs: number): () => Promise<void> {
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

/** Takes about a second, during which others wait. */
const maxBytes = 128 * 1_048_576;

/**
 * SQLite's `secure_delete` leaves copies in free space where rows have moved between pages. Leaves a larger file, and
 * the WAL, as they are. The copy goes to a temporary file even where other temporary data is kept in memory.
 */
export function vacuum(database: Database.Database): void {
  const pages = database.pragma('page_count', { simple: true }) as number; // SQLite keeps integers there
  const pageSize = database.pragma('page_size', { simple: true }) as number;
  if (pages * pageSize > maxBytes) return;
  const temporary = database.pragma('temp_store', { simple: true });
  database.pragma('temp_store = DEFAULT');
  try {
    database.exec('VACUUM');
  } finally {
    database.pragma(`temp_store = ${temporary}`);
  }
}
