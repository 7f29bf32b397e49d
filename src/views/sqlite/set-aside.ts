import { existsSync, readdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import { StoreDamaged } from '../../kernel/store-errors.js';
import { withStoreErrors } from '../../stores/sqlite/sqlite-errors.js';
import { ViewSetAside } from '../errors.js';
import { type BuildName, type Projection, viewOf } from '../projection.js';
import type { SetAsideBuilds } from '../read-model.js';
import { maySetAside } from '../set-aside-limits.js';

export type SetAside = SetAsideBuilds & {
  /** Sets the live build aside where the work finds it damaged: see `ReadModel`. */
  guarded: <Result>(projection: Projection, work: () => Result) => Result;
};

/** Renames the file of a damaged build to `<file>.damaged`; the view's earlier one is removed. */
export function openSetAside({
  folder,
  pathOf,
  recorded,
  onPut,
}: {
  folder: string;
  pathOf: (build: BuildName) => string;
  /** Also where its file is missing. */
  recorded: (projection: Projection) => BuildName | undefined;
  onPut: (build: BuildName) => void;
}): SetAside {
  /** Set-aside files of a view, without their logs; 1.0.0 added a time to the names, and kept several. */
  const filesOf = (projection: Projection) =>
    readdirSync(folder)
      .filter((name) => name.startsWith(`${viewOf(projection)}-`) && /\.damaged[^/]*(?<!-wal)$/.test(name))
      .map((name) => ({ name, path: join(folder, name), ...statSync(join(folder, name)) }));

  /** False, with nothing changed, soon after the last time. A file that another process has renamed counts as renamed. */
  function put(projection: Projection, path: string): boolean {
    if (!existsSync(path)) return true;
    const before = filesOf(projection).filter(({ path: other }) => other !== `${path}.damaged`);
    if (!before.every(({ ctimeMs }) => maySetAside(ctimeMs, Date.now()))) return false;
    renameWhereItIs(`${path}-wal`, `${path}.damaged-wal`); // first: a new file must not find the log of the old one
    rmSync(`${path}-shm`, { force: true });
    renameWhereItIs(path, `${path}.damaged`);
    for (const old of before) for (const part of [`${old.path}-wal`, old.path]) rmSync(part, { force: true });
    return true;
  }

  return {
    guarded(projection, work) {
      try {
        return work();
      } catch (error) {
        if (!(error instanceof StoreDamaged)) throw error;
        const { place } = error;
        const build = recorded(projection);
        if (build !== undefined && place === pathOf(build)) {
          if (!withStoreErrors(place, () => put(projection, place))) throw error;
          onPut(build);
        } else if (existsSync(place)) {
          throw error; // not the live build: another one has replaced it, or it is not live yet
        }
        throw new ViewSetAside(projection.name, error);
      }
    },
    async setAside(projection) {
      const build = recorded(projection);
      if (build === undefined || existsSync(pathOf(build))) return undefined;
      const path = `${pathOf(build)}.damaged`;
      return withStoreErrors(path, () =>
        existsSync(path) ? { as: basename(path), since: statSync(path).ctime.toISOString() } : undefined,
      );
    },
    async clearSetAside(projection, olderThanMs) {
      withStoreErrors(folder, () => {
        for (const { path, ctimeMs, size } of filesOf(projection)) {
          if (size === 0 || Date.now() - ctimeMs < olderThanMs) continue;
          rmSync(`${path}-wal`, { force: true });
          truncateSync(path); // its time still counts
        }
      });
    },
  };
}

function renameWhereItIs(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error; // another process was first
  }
}
