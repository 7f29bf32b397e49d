import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DirectoryInUse } from '../event-store/errors.js';
import { makeDataDirectory } from './database-file.js';
import { asStoreError, isBusy } from './sqlite-errors.js';

export type DirectoryLock = { readonly release: () => void };

/** A connection that nothing refers to is closed by the garbage collector, and its lock given back. */
const held = new Set<Database.Database>();

/**
 * Takes a data directory, made where it is missing, for one service. Throws `DirectoryInUse` where another one has it.
 *
 * The lock is that of a SQLite transaction which stays open, so the operating system gives it back however the process
 * ends, and a file that is left behind by `kill -9` stops nobody.
 */
export function lockDataDirectory(directory: string): DirectoryLock {
  makeDataDirectory(directory);
  const path = join(directory, 'service.lock');
  const pidPath = join(directory, 'service.pid'); // only to tell others: it decides nothing
  const database = open(path);
  try {
    database.exec('BEGIN IMMEDIATE');
    chmodSync(path, 0o600);
    writeFileSync(pidPath, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw asStoreError(error, path);
    throw new DirectoryInUse(`another service${holder(pidPath)} has the data directory ${directory} open`);
  }
  held.add(database);
  return {
    release: () => {
      if (!held.delete(database)) return;
      rmSync(pidPath, { force: true });
      database.close();
    },
  };
}

function open(path: string): Database.Database {
  try {
    return new Database(path, { timeout: 0 });
  } catch (error) {
    throw asStoreError(error, path);
  }
}

function holder(pidPath: string): string {
  try {
    return ` (process ${Number.parseInt(readFileSync(pidPath, 'utf8'), 10)})`;
  } catch {
    return ''; // it has just taken the lock, and has not said yet who it is
  }
}
