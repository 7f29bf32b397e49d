import type Database from 'better-sqlite3';

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
