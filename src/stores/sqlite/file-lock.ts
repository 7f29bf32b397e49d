import Database from 'better-sqlite3';
import { isBusy } from './sqlite-errors.js';

export type FileLock = { readonly release: () => void };

/** Keeps the connections referenced: the garbage collector would close them, and release their locks. */
const held = new Set<Database.Database>();

/**
 * Takes the lock of a file, created where it is missing; undefined where another process holds it. Throws SQLite's
 * errors.
 *
 * The lock is a SQLite transaction that stays open, so the operating system releases it however the process ends, and a
 * file left by `kill -9` blocks no other process.
 */
export function takeFileLock(path: string): FileLock | undefined {
  const database = new Database(path, { timeout: 0 });
  try {
    database.exec('BEGIN IMMEDIATE');
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  held.add(database);
  return {
    release: () => {
      if (held.delete(database)) database.close();
    },
  };
}
