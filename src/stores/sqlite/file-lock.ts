import Database from 'better-sqlite3';
import { isBusy } from './sqlite-errors.js';

export type FileLock = { readonly release: () => void };

/** A connection that nothing refers to is closed by the garbage collector, and its lock given back. */
const held = new Set<Database.Database>();

/**
 * Takes the lock of a file, made where it is missing; undefined where somebody else has it. Throws what SQLite throws.
 *
 * The lock is that of a SQLite transaction which stays open, so the operating system gives it back however the process
 * ends, and a file that is left behind by `kill -9` stops nobody.
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
