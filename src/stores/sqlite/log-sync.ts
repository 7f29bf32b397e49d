import { closeSync, existsSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type Database from 'better-sqlite3';
import { StoreUnavailable } from '../../kernel/store-errors.js';

const syncData = promisify(fdatasync);

/** Syncs the write-ahead log of a database, which its own commits leave undone from now on. */
export type LogSync = {
  /**
   * Resolves once all that had been committed when it was called is on the disk. Those who ask while a sync is under way
   * share the next one. Rejects with `StoreUnavailable` where it fails, and then always: what the disk has refused once
   * may be gone, and a later sync would not tell.
   */
  readonly synced: () => Promise<void>;
  /** Resolves once no sync is wanted any more; the database may be closed then. */
  readonly close: () => Promise<void>;
};

/**
 * Takes the syncs over from SQLite, so that the thread goes on while the disk works. A commit is durable once `synced`,
 * asked after it, resolves: until then a loss of power, and nothing less, may undo it and all that came after it.
 * `sync` is told the descriptor of the log's file.
 */
export function logSync(database: Database.Database, sync: (log: number) => Promise<void> = syncData): LogSync {
  database.pragma('synchronous = NORMAL'); // the log is still synced before it is moved into the file
  const path = `${database.name}-wal`;
  let log: number | undefined;
  let last: Promise<void> = Promise.resolve();
  /** Whoever asks before it begins shares it; there is never more than one at a time. */
  let next: Promise<void> | undefined;
  let failure: StoreUnavailable | undefined;

  async function run(): Promise<void> {
    if (failure) throw failure;
    try {
      if (log === undefined) {
        if (!existsSync(path)) return; // nothing has been written since it was opened
        log = openSync(path, 'r+'); // the same file for as long as the database is open
      }
      await sync(log);
    } catch (error) {
      failure = new StoreUnavailable(`${path} could not be synced: ${(error as Error).message}`, { cause: error });
      throw failure;
    }
  }

  return {
    synced() {
      if (next) return next;
      const after = last.catch(() => undefined); // told to those who waited for it
      next = after.then(() => {
        next = undefined;
        return run();
      });
      last = next;
      return next;
    },
    async close() {
      for (let awaited: Promise<void> | undefined; awaited !== last; ) {
        awaited = last;
        await awaited.catch(() => undefined); // as above
      }
      if (log !== undefined) closeSync(log);
      log = undefined;
    },
  };
}
