import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DirectoryInUse } from '../../kernel/store-errors.js';
import { makeDataDirectory } from './database-file.js';
import { isBusy, withStoreErrors } from './sqlite-errors.js';

export type FileLock = { release: () => void };

/** The garbage collector would close the connections, and release their locks. */
const held = new Set<Database.Database>();

/**
 * Undefined where another process holds the lock; throws SQLite's errors. The lock is an open SQLite transaction: the
 * operating system releases it however the process ends.
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

export type DirectoryLock = FileLock;

/** Locks a data directory for one service. Throws `DirectoryInUse`. */
export function lockDataDirectory(directory: string): DirectoryLock {
  makeDataDirectory(directory);
  const path = join(directory, 'service.lock');
  const pidPath = join(directory, 'service.pid'); // information for operators only
  const lock = withStoreErrors(path, () => takeFileLock(path));
  if (!lock) throw new DirectoryInUse(`another service${holder(pidPath)} has the data directory ${directory} open`);
  try {
    withStoreErrors(path, () => {
      chmodSync(path, 0o600);
      writeFileSync(pidPath, `${process.pid}\n`, { mode: 0o600 });
    });
  } catch (error) {
    lock.release();
    throw error;
  }
  let released = false;
  return {
    release: () => {
      if (released) return;
      released = true;
      rmSync(pidPath, { force: true });
      lock.release();
    },
  };
}

function holder(pidPath: string): string {
  try {
    return ` (process ${Number.parseInt(readFileSync(pidPath, 'utf8'), 10)})`;
  } catch {
    return ''; // it has just taken the lock, and has not written its PID yet
  }
}
