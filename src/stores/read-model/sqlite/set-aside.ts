import { existsSync, readdirSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import { StoreDamaged } from '../../../kernel/store-errors.js';
import { withStoreErrors } from '../../sqlite/sqlite-errors.js';
import { ViewSetAside } from '../errors.js';
import { type BuildName, type Projection, viewOf } from '../projection.js';
import type { ReadModel } from '../read-model.js';
import { maySetAside, toClear, toRemove } from '../set-aside-limits.js';

/** Beginning of `live.db`, and of its successors `live.<milliseconds since 1970>.db`. */
export const viewsFilePrefix = 'live.';

export type SetAside = Pick<ReadModel, 'setAside' | 'clearSetAside'> & {
  /** Sets the live build aside where the work finds it damaged: see `ReadModel`. */
  guarded: <Result>(projection: Projection, work: () => Result) => Result;
};

export function openSetAside({
  files,
  pathOf,
  recorded,
  onPut,
}: {
  files: SetAsideFiles;
  pathOf: (build: BuildName) => string;
  /** Also where its file is missing. */
  recorded: (projection: Projection) => BuildName | undefined;
  onPut: (build: BuildName) => void;
}): SetAside {
  return {
    guarded(projection, work) {
      try {
        return work();
      } catch (error) {
        if (!(error instanceof StoreDamaged)) throw error;
        const build = recorded(projection);
        if (build !== undefined && error.place === pathOf(build)) {
          if (!files.put(`${viewOf(projection)}-`, basename(error.place))) throw error;
          onPut(build);
        } else if (existsSync(error.place)) {
          throw error; // not the live build: another one has replaced it, or it is not live yet
        }
        throw new ViewSetAside(projection.name, error);
      }
    },
    async setAside(projection) {
      const build = recorded(projection);
      if (build !== undefined && existsSync(pathOf(build))) return undefined;
      // Where the record of the live builds was damaged, each view counts as set aside with it.
      const latest = files.of(build === undefined ? viewsFilePrefix : `${build}.`).at(-1);
      return latest && { as: latest.as, since: new Date(latest.since).toISOString() };
    },
    async clearSetAside(projection, olderThanMs) {
      for (const prefix of [`${viewOf(projection)}-`, viewsFilePrefix]) files.clear(prefix, olderThanMs);
    },
  };
}

/** `as`: its name now. `since`: milliseconds since 1970. */
type SetAsideFile = { as: string; since: number };

/** The damaged files of a folder: `<name>.damaged-<time>`, with their logs. */
export type SetAsideFiles = {
  /** Names that begin with this prefix, oldest first. */
  of: (prefix: string) => readonly SetAsideFile[];
  /**
   * Renames a file and its log, and keeps the three latest. False, with nothing changed, after three of this prefix
   * within an hour. A file that another process has set aside meanwhile counts as renamed.
   */
  put: (prefix: string, name: string) => boolean;
  /** Empties those older than this; the names of recent ones stay, and count. */
  clear: (prefix: string, olderThanMs: number) => void;
};

const marked = /\.damaged-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3}Z)$/;

export function setAsideFiles(folder: string): SetAsideFiles {
  const of = (prefix: string): readonly SetAsideFile[] =>
    readdirSync(folder)
      .flatMap((as) => {
        const [, hour, minute, second] = as.startsWith(prefix) ? (marked.exec(as) ?? []) : [];
        return hour === undefined ? [] : [{ as, since: Date.parse(`${hour}:${minute}:${second}`) }];
      })
      .sort((one, other) => one.since - other.since);

  function remove(name: string): void {
    rmSync(join(folder, `${name}-wal`), { force: true });
    rmSync(join(folder, name), { force: true });
  }

  return {
    of: (prefix) => withStoreErrors(folder, () => of(prefix)),
    put: (prefix, name) =>
      withStoreErrors(folder, () => {
        const path = join(folder, name);
        if (!existsSync(path)) return true;
        const now = new Date();
        const before = of(prefix);
        if (!maySetAside(before, now.getTime())) return false;
        const as = join(folder, `${name}.damaged-${now.toISOString().replaceAll(':', '-')}`);
        renameWhereItIs(`${path}-wal`, `${as}-wal`); // first: a new file must not find the log of the old one
        rmSync(`${path}-shm`, { force: true });
        renameWhereItIs(path, as);
        for (const { as: old } of toRemove(before)) remove(old);
        return true;
      }),
    clear: (prefix, olderThanMs) =>
      withStoreErrors(folder, () => {
        const { emptied, removed } = toClear(of(prefix), { olderThanMs, now: Date.now() });
        for (const { as } of removed) remove(as);
        for (const { as } of emptied) {
          rmSync(join(folder, `${as}-wal`), { force: true });
          truncateSync(join(folder, as));
        }
      }),
  };
}

function renameWhereItIs(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error; // another process was first
  }
}
