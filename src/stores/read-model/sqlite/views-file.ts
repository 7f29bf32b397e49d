import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { StoreDamaged } from '../../../kernel/store-errors.js';
import { makeDataDirectory, NotOurFile, openDatabaseFile, preparedOnce } from '../../sqlite/database-file.js';
import { withFileLock } from '../../sqlite/file-lock.js';
import { withStoreErrors } from '../../sqlite/sqlite-errors.js';
import { type BuildName, type Projection, viewOf } from '../projection.js';
import type { ReadModel } from '../read-model.js';
import { type SetAsideFiles, viewsFilePrefix } from './set-aside.js';

const file = {
  applicationId: 0x4648726c, // FHrl
  migrations: [
    `CREATE TABLE live (
       projection TEXT NOT NULL,
       version INTEGER NOT NULL,
       build TEXT NOT NULL,
       PRIMARY KEY (projection, version)
     ) WITHOUT ROWID;
     CREATE TABLE rebuilds (
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
     ) WITHOUT ROWID`,
  ],
};

/** The data about views besides their documents. */
export type ViewsFile = {
  /** The first row of a query. */
  get: <Row>(sql: string, ...parameters: readonly unknown[]) => Row | undefined;
  run: (sql: string, ...parameters: readonly unknown[]) => void;
  close: () => void;
};

/**
 * Reads always go to the file, where changes of other processes show at once; changes are synced, because the files
 * that they replace are deleted soon after. A damaged file is set aside for an empty one of another name: closing the
 * damaged one later would remove a log of the same name.
 */
export function openViewsFile(folder: string, aside: SetAsideFiles): ViewsFile {
  makeDataDirectory(folder);
  const lockPath = join(folder, 'live.lock');
  let isOpened = false;
  let current = openHealed();

  function open(name: string) {
    const database = openDatabaseFile(folder, { ...file, name });
    isOpened = true;
    return { name, path: join(folder, name), database, prepared: preparedOnce((sql) => database.prepare(sql)) };
  }

  /** Opens the file under a lock, so that no process opens a file that another one renames. */
  function openHealed(damaged?: { name: string; cause: unknown }): ReturnType<typeof open> {
    return withFileLock(lockPath, () => {
      const name = latest(folder);
      if (name === undefined) return open(newName());
      try {
        if (name === damaged?.name) throw damaged.cause;
        return open(name);
      } catch (error) {
        if (!isDamage(error) || !aside.put(viewsFilePrefix, name)) throw error;
        return open(newName());
      }
    });
  }

  function newName(): string {
    const isFirst = !isOpened && aside.of(viewsFilePrefix).length === 0;
    return isFirst ? 'live.db' : `live.${Date.now()}.db`;
  }

  function reopen(damaged?: { name: string; cause: unknown }): void {
    const next = openHealed(damaged);
    current.database.close();
    current = next;
  }

  type Work<Result> = (statement: (sql: string) => Database.Statement<unknown[]>) => Result;

  function attempt<Result>(work: Work<Result>): Result {
    const { path, prepared } = current;
    return withStoreErrors(path, () => work(prepared));
  }

  /** Runs again on the new file, where the file was replaced or is damaged. */
  function healing<Result>(work: Work<Result>): Result {
    if (current.database.open && !existsSync(current.path)) reopen();
    try {
      return attempt(work);
    } catch (error) {
      if (!isDamage(error)) throw error;
      reopen({ name: current.name, cause: error });
      return attempt(work);
    }
  }

  return {
    get: <Row>(sql: string, ...parameters: readonly unknown[]) =>
      healing((statement) => statement(sql).get(...parameters) as Row | undefined), // the caller knows its columns
    run: (sql, ...parameters) => healing((statement) => void statement(sql).run(...parameters)),
    close: () => void current.database.close(),
  };
}

const isDamage = (error: unknown): boolean => error instanceof StoreDamaged || error instanceof NotOurFile;

const viewsFile = /^live(?:\.(\d+))?\.db$/;
const sinceOf = (name: string): number => Number(viewsFile.exec(name)?.[1] ?? 0);

const latest = (folder: string): string | undefined =>
  withStoreErrors(folder, () => readdirSync(folder))
    .filter((name) => viewsFile.test(name))
    .sort((one, other) => sinceOf(one) - sinceOf(other))
    .at(-1);

export type LiveBuilds = {
  of(projection: Projection): BuildName | undefined;
  set(projection: Projection, build: BuildName): void;
  forget(build: BuildName): void;
};

export const openLiveBuilds = ({ get, run }: ViewsFile): LiveBuilds => ({
  of: ({ name, version }) =>
    get<{ build: BuildName }>('SELECT build FROM live WHERE projection = ? AND version = ?', name, version)?.build,
  set: ({ name, version }, build) => run('INSERT OR REPLACE INTO live VALUES (?, ?, ?)', name, version, build),
  forget: (build) => run('DELETE FROM live WHERE build = ?', build),
});

type Row = { message: string; position: string | null; since: string };

export function openTroubles({ get, run }: ViewsFile): Pick<ReadModel, 'trouble' | 'noteTrouble'> {
  return {
    async trouble(projection) {
      const row = get<Row>('SELECT message, position, since FROM troubles WHERE view = ?', viewOf(projection));
      return row && { ...row, position: row.position === null ? undefined : BigInt(row.position) };
    },
    async noteTrouble(projection, trouble) {
      const view = viewOf(projection);
      if (!trouble) return run('DELETE FROM troubles WHERE view = ?', view);
      const { message, position, since } = trouble;
      run('INSERT OR REPLACE INTO troubles VALUES (?, ?, ?, ?)', view, message, position?.toString() ?? null, since);
    },
  };
}
