import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { StoreDamaged, StoreUnavailable } from '../../../kernel/store-errors.js';
import { NotOurFile, openDatabaseFile } from '../../sqlite/database-file.js';
import { takeFileLock } from '../../sqlite/file-lock.js';
import { withStoreErrors } from '../../sqlite/sqlite-errors.js';
import type { SetAsideFiles } from './set-aside-files.js';

export const viewsFileName = 'live.db';

const file = {
  name: viewsFileName,
  applicationId: 0x4648726c, // FHrl
  migrations: [
    `CREATE TABLE live (
       projection TEXT NOT NULL,
       version INTEGER NOT NULL,
       build TEXT NOT NULL,
       PRIMARY KEY (projection, version)
     ) WITHOUT ROWID`,
    `CREATE TABLE rebuilds (
       view TEXT PRIMARY KEY,
       build TEXT,
       host TEXT NOT NULL,
       pid INTEGER NOT NULL,
       since TEXT NOT NULL,
       cancelled INTEGER NOT NULL,
       progress TEXT
     ) WITHOUT ROWID;
     CREATE TABLE troubles (
       view TEXT PRIMARY KEY,
       message TEXT NOT NULL,
       position TEXT,
       since TEXT NOT NULL
     ) WITHOUT ROWID;
     DELETE FROM live; -- builds are of another schema`,
  ],
};

/** The data about views besides their documents. */
export type ViewsFile = {
  /** The first row of a query; undefined where there is none. */
  readonly get: <Row>(sql: string, ...parameters: readonly unknown[]) => Row | undefined;
  readonly run: (sql: string, ...parameters: readonly unknown[]) => void;
  readonly close: () => void;
};

/**
 * Opens it. Every read goes to the file, so that changes of other processes are seen at once; each change is synced,
 * because the files that it replaces are deleted soon after.
 *
 * A damaged file is set aside and replaced by an empty one, by one process at a time: without live builds, every view is
 * built again. Other processes notice that the file at its path is another one.
 */
export function openViewsFile(folder: string, aside: SetAsideFiles): ViewsFile {
  const path = join(folder, file.name);
  let current = openHealed();

  function open() {
    const database = openDatabaseFile(folder, file);
    return { database, inode: statSync(path).ino, statements: new Map<string, Database.Statement<unknown[]>>() };
  }

  function openHealed(): ReturnType<typeof open> {
    try {
      return open();
    } catch (error) {
      if (isDamage(error)) heal(undefined, error);
      else throw error;
    }
    return open();
  }

  /** `inode`: of the damaged file, where it was open. */
  function heal(inode: number | undefined, cause: unknown): void {
    const lock = takeFileLock(join(folder, `${file.name}.lock`));
    if (!lock) throw new StoreUnavailable(`${path} is damaged, and another process replaces it`, { cause });
    try {
      const isReplaced = existsSync(path) && (inode === undefined ? isSound() : statSync(path).ino !== inode);
      if (!isReplaced && !aside.put(file.name, file.name)) throw cause;
    } finally {
      lock.release();
    }
  }

  /** Another process may have replaced it before this one got the lock. */
  function isSound(): boolean {
    try {
      open().database.close();
      return true;
    } catch {
      return false;
    }
  }

  function reopen(): void {
    const next = openHealed();
    current.database.close();
    current = next;
  }

  function attempt<Result>(work: (statement: (sql: string) => Database.Statement<unknown[]>) => Result): Result {
    return withStoreErrors(path, () => {
      const { database, statements } = current;
      return work((sql) => {
        const statement = statements.get(sql) ?? database.prepare(sql);
        statements.set(sql, statement);
        return statement;
      });
    });
  }

  /** Again on the new file, where the file has been replaced or is damaged. */
  const healing = <Result>(work: Parameters<typeof attempt<Result>>[0]): Result => {
    if (current.database.open && statSync(path, { throwIfNoEntry: false })?.ino !== current.inode) reopen();
    try {
      return attempt(work);
    } catch (error) {
      if (!isDamage(error)) throw error;
      heal(current.inode, error);
      reopen();
      return attempt(work);
    }
  };

  return {
    get: <Row>(sql: string, ...parameters: readonly unknown[]) =>
      healing((statement) => statement(sql).get(...parameters) as Row | undefined), // the caller knows its columns
    run: (sql, ...parameters) => healing((statement) => void statement(sql).run(...parameters)),
    close: () => void current.database.close(),
  };
}

const isDamage = (error: unknown): boolean => error instanceof StoreDamaged || error instanceof NotOurFile;
