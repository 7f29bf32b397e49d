import { chmodSync, existsSync, linkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { makeDirectory } from '../../kernel/directories.js';
import { StoreDamaged, StoreUnusable } from '../../kernel/store-errors.js';
import { asStoreError, withStoreErrors } from './sqlite-errors.js';

/**
 * Files up to this size are checked page by page when they are opened, within a quarter of a second. Damage to a larger
 * one shows when the page is read.
 */
const maxCheckedBytes = 256 * 1_048_576;

/** 64 MiB: a commit checkpoints such a WAL, if the checkpoint thread has not (`checkpoint-logs.ts`). */
const longLogPages = 16_384;

export type DatabaseFile = {
  name: string;
  /** SQLite's `application_id`, a different one for each kind of file. */
  applicationId: number;
  /** SQL that takes the schema from version n to n + 1. Never change a released one. */
  migrations: readonly string[];
};

/** Accessible to its owner only. Throws `StoreUnavailable`. */
export function makeDataDirectory(directory: string): void {
  withStoreErrors(directory, () => makeDirectory(directory, 0o700));
}

/**
 * Creates or migrates the file where needed: WAL mode, every commit synced unless `walSync` does it. `busyTimeoutMs`:
 * how long a statement blocks the thread for a lock. Throws `StoreUnavailable`, and `StoreUnusable` where the file is
 * newer, damaged or not of this service; it is left untouched.
 */
export function openDatabaseFile(
  directory: string,
  file: DatabaseFile,
  { busyTimeoutMs = 5000 }: { busyTimeoutMs?: number } = {},
): Database.Database {
  const path = join(directory, file.name);
  makeDataDirectory(directory);
  return withStoreErrors(path, () => {
    if (existsSync(path)) checkFile(path, file);
    else create(path, file);

    const database = new Database(path, { fileMustExist: true, timeout: busyTimeoutMs });
    try {
      database.pragma('journal_mode = WAL');
      database.pragma('synchronous = FULL');
      database.pragma('foreign_keys = ON');
      database.pragma('secure_delete = ON'); // deleted data is overwritten
      database.pragma(`wal_autocheckpoint = ${longLogPages}`);
      database.pragma(`journal_size_limit = ${longLogPages * 4_096}`);
      migrate(database, file);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/**
 * Checks a file without changing it: closing a writable connection would checkpoint an existing WAL; a read-only one
 * would leave a WAL behind where there was none.
 */
function checkFile(path: string, file: DatabaseFile): void {
  const hasLog = existsSync(`${path}-wal`) || existsSync(`${path}-journal`);
  const database = new Database(path, { fileMustExist: true, readonly: hasLog });
  try {
    const version = versionOf(database);
    if (database.pragma('application_id', { simple: true }) !== file.applicationId) {
      throw new StoreUnusable(`${path} is not a file of this service: move it away, or choose another data directory`);
    }
    if (version > file.migrations.length) {
      throw new StoreUnusable(
        `${path} was written by a newer release (schema ${version}, this one knows up to ${file.migrations.length})`,
      );
    }
    requireSound(database, path);
  } finally {
    database.close();
  }
}

/** Throws `StoreDamaged` for a damaged page of a file of at most `maxCheckedBytes`. */
export function requireSound(database: Database.Database, path: string): void {
  const fault = sizeOf(database) <= maxCheckedBytes ? database.pragma('quick_check(1)', { simple: true }) : 'ok';
  if (fault !== 'ok') throw new StoreDamaged(path, `${path} is damaged: ${fault}`);
}

/** Creates a file that is either complete or missing under its own name. */
function create(path: string, file: DatabaseFile): void {
  const unfinished = `${path}.${process.pid}.new`;
  rmSync(unfinished, { force: true });
  const database = new Database(unfinished);
  try {
    chmodSync(unfinished, 0o600); // the WAL gets the same mode
    database.pragma(`application_id = ${file.applicationId}`);
    migrate(database, file);
  } finally {
    database.close();
  }
  try {
    linkSync(unfinished, path);
  } catch (error) {
    if (!existsSync(path)) throw error; // another process has created it meanwhile
  } finally {
    rmSync(unfinished);
  }
}

function migrate(database: Database.Database, { migrations }: DatabaseFile): void {
  const toCurrent = database.transaction(() => {
    const missing = migrations.slice(versionOf(database)); // none, where another process was first
    for (const migration of missing) database.exec(migration);
    if (missing.length > 0) database.pragma(`user_version = ${migrations.length}`);
  });
  if (versionOf(database) < migrations.length) toCurrent.immediate();
}

const versionOf = (database: Database.Database): number => database.pragma('user_version', { simple: true }) as number; // SQLite keeps an integer there

const sizeOf = (database: Database.Database): number =>
  (database.pragma('page_count', { simple: true }) as number) *
  (database.pragma('page_size', { simple: true }) as number);

/** Prepares each statement once. */
export function preparedOnce<Row>(prepare: (sql: string) => Database.Statement<unknown[], Row>) {
  const statements = new Map<string, Database.Statement<unknown[], Row>>();
  return (sql: string): Database.Statement<unknown[], Row> => {
    const statement = statements.get(sql) ?? prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
}

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

/**
 * An expression: where a parameter alone is the limit, SQLite plans the statement again on each binding, at five times
 * the cost of reading a few rows.
 */
export const limitBy = (parameter = '?'): string => `LIMIT ${parameter} + 0`;
