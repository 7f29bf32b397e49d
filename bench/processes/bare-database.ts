import { join } from 'node:path';
import Database from 'better-sqlite3';

/** A database of one table, as a write-ahead log that no commit syncs. */
export function openBare(directory: string, name: string, table: string): Database.Database {
  const database = new Database(join(directory, name));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.exec(`CREATE TABLE ${table}`);
  return database;
}
