import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DirectoryInUse } from '../../kernel/store-errors.js';
import { makeDataDirectory } from './database-file.js';
import { type FileLock, takeFileLock } from './file-lock.js';
import { withStoreErrors } from './sqlite-errors.js';

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
