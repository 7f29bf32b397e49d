import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { type Failure, failureOf } from '../../kernel/threads/failure.js';
import { serveThread } from '../../kernel/threads/thread.js';
import { asStoreError } from './sqlite-errors.js';

/** Larger checkpoints write a page that changes repeatedly less often. */
const pagesAtATime = 4_000;
const pauseMs = { least: 250, most: 5_000 };
/** Pages committed meanwhile are moved too, so that the WAL can restart; where that takes longer, the next time. */
const maxPasses = 3;

/** Pages in the WAL, and how many of them are in the file now. */
type Checkpoint = { log: number; checkpointed: number };

/** Paths of databases; a missing one is looked for again. */
serveThread(async (files: readonly string[], tell: (failure: Failure | undefined) => void) => {
  const databases = new Map<string, Database.Database>();
  const moved = new Map<string, number>();

  function open(path: string): Database.Database | undefined {
    const known = databases.get(path);
    if (known || !existsSync(path)) return known;
    const database = new Database(path, { fileMustExist: true, timeout: 0 });
    databases.set(path, database);
    return database;
  }

  /** Returns the number of pages moved. */
  function checkpoint(path: string): number {
    const database = open(path);
    if (!database) return 0;
    let pages = 0;
    for (let pass = 0; pass < maxPasses; pass += 1) {
      const [{ log, checkpointed }] = database.pragma('wal_checkpoint(PASSIVE)') as readonly [Checkpoint]; // SQLite's one row
      const before = moved.get(path) ?? 0;
      pages += checkpointed >= before ? checkpointed - before : checkpointed; // less where the WAL has restarted
      moved.set(path, checkpointed);
      if (checkpointed === log) break;
    }
    return pages;
  }

  function checkpointAll(): void {
    let pages = 1;
    let failure: Failure | undefined;
    for (const path of files) {
      try {
        pages = Math.max(pages, checkpoint(path));
      } catch (error) {
        failure = failureOf(asStoreError(error, path));
      }
    }
    tell(failure);
    const ratio = Math.min(2, Math.max(0.5, pagesAtATime / pages));
    nextMs = Math.min(pauseMs.most, Math.max(pauseMs.least, nextMs * ratio));
    timer = setTimeout(checkpointAll, nextMs);
  }

  let nextMs = pauseMs.least;
  let timer = setTimeout(checkpointAll, nextMs);
  return {
    async close() {
      clearTimeout(timer);
      for (const database of databases.values()) database.close();
    },
  };
});
