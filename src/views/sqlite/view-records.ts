import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { makeDataDirectory } from '../../stores/sqlite/database-file.js';
import { withStoreErrors } from '../../stores/sqlite/sqlite-errors.js';
import { type BuildName, isBuildName, type Projection, viewOf } from '../projection.js';
import type { ViewErrorRecords } from '../read-model.js';

type Kind = 'live' | 'rebuild' | 'cancelled' | 'error';

/** Facts about views besides their documents: `<view>.<kind>.json`, where changes of other processes show at once. */
export type ViewRecords = {
  /** Undefined where there is none, or it is damaged. */
  read: <Value extends object>(view: string, kind: Kind) => Value | undefined;
  write: (view: string, kind: Kind, value: object) => void;
  remove: (view: string, kind: Kind) => void;
};

export function openViewRecords(folder: string): ViewRecords {
  makeDataDirectory(folder);
  const pathOf = (view: string, kind: Kind) => join(folder, `${view}.${kind}.json`);

  const records: ViewRecords = {
    read: <Value extends object>(view: string, kind: Kind) =>
      withStoreErrors(folder, () => parsed(pathOf(view, kind)) as Value | undefined), // only `write` writes it
    write(view, kind, value) {
      const path = pathOf(view, kind);
      const written = `${path}.${process.pid}.${threadId}`;
      withStoreErrors(path, () => {
        // Synced: the build that a record named before is deleted soon after.
        writeFileSync(written, JSON.stringify(value), { mode: 0o600, flush: true });
        renameSync(written, path);
      });
    },
    remove: (view, kind) => withStoreErrors(folder, () => rmSync(pathOf(view, kind), { force: true })),
  };
  importLiveBuilds(folder, records);
  return records;
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) ?? undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Takes over the live builds from the database of 1.0.0, so that an upgrade builds no view again. */
function importLiveBuilds(folder: string, { write }: ViewRecords): void {
  const path = join(folder, 'live.db');
  if (!existsSync(path) || readdirSync(folder).some((name) => name.endsWith('.live.json'))) return;
  const database = new Database(path, { fileMustExist: true });
  try {
    const rows = database.prepare<[], { view: string; build: BuildName }>(
      `SELECT projection || '-v' || version AS view, build FROM live`,
    );
    for (const { view, build } of rows.all()) write(view, 'live', { build });
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error; // damaged: the views are built again
  } finally {
    database.close();
  }
}

export const openLiveBuilds = ({ read, write, remove }: ViewRecords) => ({
  of(projection: Projection): BuildName | undefined {
    const { build } = read<{ build?: string }>(viewOf(projection), 'live') ?? {};
    return build !== undefined && isBuildName(build) ? build : undefined;
  },
  set: (projection: Projection, build: BuildName) => write(viewOf(projection), 'live', { build }),
  forget(build: BuildName): void {
    const view = build.replace(/(-v\d+)-.*/, '$1');
    if (read<{ build?: string }>(view, 'live')?.build === build) remove(view, 'live');
  },
});

type ErrorRecord = { message: string; position: string | null; since: string };

export const openViewErrors = ({ read, write, remove }: ViewRecords): ViewErrorRecords => ({
  async viewError(projection) {
    const record = read<ErrorRecord>(viewOf(projection), 'error');
    return record && { ...record, position: record.position === null ? undefined : BigInt(record.position) };
  },
  async recordError(projection, error) {
    const view = viewOf(projection);
    if (error) write(view, 'error', { ...error, position: error.position?.toString() ?? null });
    else remove(view, 'error');
  },
});
