import { closeSync, existsSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type Database from 'better-sqlite3';
import { StoreUnavailable } from '../../kernel/store-errors.js';

const syncData = promisify(fdatasync);

/** Syncs the WAL of a database, whose own commits no longer do. */
export type SyncedWal = {
  /**
   * Resolves once everything committed before is durable. Calls during a sync share the next one. After a failed sync,
   * always rejects with `StoreUnavailable`: the disk may have lost the data, and a later sync would not report it.
   */
  synced: () => Promise<void>;
};

export type WalSync = SyncedWal & {
  /** The database may be closed then. */
  close: () => Promise<void>;
};

/**
 * Takes the syncs over from SQLite, so that the thread continues while the disk works. Until `synced`, called after a
 * commit, resolves, a power loss may undo it. `sync` gets the file descriptor of the WAL.
 */
export function walSync(database: Database.Database, sync: (log: number) => Promise<void> = syncData): WalSync {
  database.pragma('synchronous = NORMAL'); // the WAL is still synced before a checkpoint
  const path = `${database.name}-wal`;
  let log: number | undefined;
  let last: Promise<void> = Promise.resolve();
  /** Calls before it begins share it; only one runs at a time. */
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
      const after = last.catch(() => undefined); // its own callers got the error
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
