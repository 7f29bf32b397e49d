import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { type DatabaseFile, openDatabaseFile } from './database-file.js';
import { asStoreError } from './sqlite-errors.js';

/** More pages than a file can have. */
const allPages = 2 ** 31 - 1;

/**
 * Copies a database as it is at one moment, also while a service writes it. Throws `StoreUnavailable` and
 * `StoreUnusable`.
 */
export async function backUpDatabase(directory: string, file: DatabaseFile, target: string): Promise<void> {
  const path = join(target, file.name);
  const database = openDatabaseFile(directory, file);
  try {
    // In one step: a commit between two steps would make SQLite start over, under load without end.
    await database.backup(path, { progress: () => allPages });
  } catch (error) {
    throw asStoreError(error, path);
  } finally {
    database.close();
  }
  chmodSync(path, 0o600);
}
