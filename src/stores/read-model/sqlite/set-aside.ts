import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { StoreDamaged } from '../../../kernel/store-errors.js';
import { ViewSetAside } from '../errors.js';
import { type BuildName, type Projection, viewOf } from '../projection.js';
import type { ReadModel } from '../read-model.js';
import type { SetAsideFiles } from './set-aside-files.js';
import { viewsFilePrefix } from './views-file.js';

export type SetAside = Pick<ReadModel, 'setAside' | 'clearSetAside'> & {
  /** Sets the live build aside where the work finds it damaged: see `ReadModel`. */
  readonly guarded: <Result>(projection: Projection, work: () => Result) => Result;
};

export function openSetAside({
  files,
  pathOf,
  recorded,
  onPut,
}: {
  readonly files: SetAsideFiles;
  readonly pathOf: (build: BuildName) => string;
  /** Also where its file is missing. */
  readonly recorded: (projection: Projection) => BuildName | undefined;
  readonly onPut: (build: BuildName) => void;
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
