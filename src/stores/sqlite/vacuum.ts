import type Database from 'better-sqlite3';

/** Maximum size of a file to vacuum: this size takes about a second, during which others wait. */
const maxBytes = 128 * 1_048_576;

/**
 * Vacuums a file: where rows have moved between pages, SQLite's `secure_delete` leaves copies in free space. Does not
 * truncate the WAL. A file of more than 128 MiB is left unchanged. The copy goes to a temporary file even where other
 * temporary data is kept in memory.
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
