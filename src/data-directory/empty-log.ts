import type Database from 'better-sqlite3';

/**
 * Moves the write-ahead log into the file and cuts it to nothing. False where others keep it from that, by reading or writing:
 * it may be tried again.
 */
export function emptyWriteAheadLog(database: Database.Database): boolean {
  const [outcome] = database.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: number }[]; // SQLite's one row
  return outcome?.busy === 0;
}
