import type Database from 'better-sqlite3';
import { emptyWriteAheadLog } from '../../sqlite/empty-log.js';
import { isBusy } from '../../sqlite/sqlite-errors.js';
import { writeAnew } from '../../sqlite/write-anew.js';
import { removedTable } from './schema.js';

const writeAnewEveryMs = 10 * 60_000;
const cleanAfterMs = 500;
const cleanAgainMs = 100;

/** That something has been removed and may still be in free space: kept in the file, for a process that is killed knows nothing. */
export type RemovedNote = { readonly isSet: () => boolean; readonly set: () => void; readonly clear: () => void };

export function removedNote(database: Database.Database): RemovedNote {
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

/** Cleans a file of what has been removed from it, also before it was opened. */
export type Cleaner = { readonly removed: () => void; readonly end: () => void };

/** Removals come in several batches: the file is cleaned once none has come for a while. */
export function cleaner(database: Database.Database, note: RemovedNote): Cleaner {
  let isAnew = false;
  let writeAnewAfter = Number.NEGATIVE_INFINITY;
  let cleaning: NodeJS.Timeout | undefined;

  function cleanIn(ms: number): void {
    clearTimeout(cleaning);
    cleaning = setTimeout(() => {
      try {
        clean();
      } catch (error) {
        // Others read or write. Whatever else is in the way, the next batch meets it too and tells of it.
        cleanIn(isBusy(error) ? cleanAgainMs : writeAnewEveryMs);
      }
    }, ms).unref();
  }

  /** The log is emptied soon; writing the file anew takes a while, and is not done again and again. */
  function clean(): void {
    const now = performance.now();
    if (!isAnew && now >= writeAnewAfter) {
      writeAnew(database);
      isAnew = true;
      writeAnewAfter = now + writeAnewEveryMs;
    }
    const isEmptied = emptyWriteAheadLog(database);
    if (isAnew && isEmptied) note.clear();
    else cleanIn(isEmptied ? writeAnewAfter - now : cleanAgainMs);
  }

  if (note.isSet()) cleanIn(cleanAfterMs);
  return {
    removed() {
      isAnew = false;
      cleanIn(cleanAfterMs);
    },
    end: () => clearTimeout(cleaning),
  };
}
