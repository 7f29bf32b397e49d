import type Database from 'better-sqlite3';

/** Larger files take too long for those who wait meanwhile: a second or so for this size. */
const maxBytes = 128 * 1_048_576;

/**
 * Writes the whole file anew, without what was in its free space: where rows have been moved between pages, SQLite's
 * `secure_delete` leaves behind what they were. The write-ahead log is not emptied by it. A file of more than 128 MiB is left
 * as it is. The copy goes to a temporary file also where other temporary things are kept in memory.
 */
export function writeAnew(database: Database.Database): void {
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
