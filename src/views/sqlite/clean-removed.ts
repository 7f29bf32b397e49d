import type Database from 'better-sqlite3';
import { truncateWal, vacuum } from '../../stores/sqlite/reclaim-space.js';
import { isBusy } from '../../stores/sqlite/sqlite-errors.js';
import { removedTable } from './schema.js';

const writeAnewEveryMs = 10 * 60_000;
const cleanAfterMs = 500;
const cleanAgainMs = 100;

export type RemovedNote = ReturnType<typeof removedNote>;

/** Set while removed data may be in free space; in the file, because the process may be killed. */
export function removedNote(database: Database.Database) {
  database.exec(removedTable);
  const find = database.prepare('SELECT only FROM removed');
  const set = database.prepare('INSERT OR IGNORE INTO removed VALUES (1)');
  const clear = database.prepare('DELETE FROM removed');
  return {
    isSet: () => find.get() !== undefined,
    set: () => void set.run(),
    clear: () => void clear.run(),
  };
}

/**
 * Cleans a file of removed data, including data removed before it was opened. Removals come in several batches, so
 * cleaning waits after the last.
 */
export function cleanRemoved(database: Database.Database, note: RemovedNote) {
  let isAnew = false;
  let writeAnewAfter = Number.NEGATIVE_INFINITY;
  let cleaning: NodeJS.Timeout | undefined;

  function cleanIn(ms: number): void {
    clearTimeout(cleaning);
    cleaning = setTimeout(() => {
      try {
        clean();
      } catch (error) {
        // Other connections read or write. Any other error recurs at the next batch, which reports it.
        cleanIn(isBusy(error) ? cleanAgainMs : writeAnewEveryMs);
      }
    }, ms).unref();
  }

  /** The WAL is truncated soon; a vacuum takes long, and is not repeated often. */
  function clean(): void {
    const now = performance.now();
    if (!isAnew && now >= writeAnewAfter) {
      vacuum(database);
      isAnew = true;
      writeAnewAfter = now + writeAnewEveryMs;
    }
    const isEmptied = truncateWal(database);
    if (isAnew && isEmptied) note.clear();
    else cleanIn(isEmptied ? writeAnewAfter - now : cleanAgainMs);
  }

  if (note.isSet()) cleanIn(cleanAfterMs);
  return {
    removed(): void {
      isAnew = false;
      cleanIn(cleanAfterMs);
    },
    end: () => clearTimeout(cleaning),
  };
}
