import { join } from 'node:path';
import Database from 'better-sqlite3';

/** WAL mode, without a sync at commits. */
export function openBare(directory: string, name: string, table: string): Database.Database {
  const database = new Database(join(directory, name));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  database.exec(`CREATE TABLE ${table}`);
  return database;
}
