import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StoreUnavailable } from '../../../kernel/store-errors.js';
import { withStoreErrors } from '../../sqlite/sqlite-errors.js';
import { type BuildName, viewOf } from '../build-name.js';
import { BuildGone, ViewNotBuilt } from '../errors.js';
import type { Projection } from '../projection.js';
import { plan } from '../query.js';
import type { ReadModel } from '../read-model.js';
import { type BuildFile, BuildOfAnotherSchema, describeBuildFile, openBuildFile } from './build-file.js';
import { openLiveBuilds } from './live-builds.js';
import { openLiveBuild } from './open-live-build.js';
import { openLoadingBuild } from './open-loading-build.js';
import { openRebuilds } from './rebuilds.js';
import { openTroubles } from './troubles.js';
import { openViewsFile } from './views-file.js';

const extension = '.db';

type Reader = { readonly build: BuildName; readonly file: BuildFile };

/**
 * Views in `<directory>/read-models`: one file per build, and one with the live builds. So a rebuild in another process
 * neither waits for nor changes the live build, and a build is dropped by deleting its file.
 */
export function openSqliteReadModel({ directory }: { readonly directory: string }): ReadModel {
  const folder = join(directory, 'read-models');
  const views = openViewsFile(folder);
  const liveBuilds = openLiveBuilds(views);
  const readers = new Map<string, Reader>();
  let closed = false;

  const pathOf = (build: BuildName): string => {
    if (!/^[\w-]+\.v\d+\.[\w-]+$/.test(build)) throw new RangeError(`${build} is not the name of a build`);
    return join(folder, `${build}${extension}`);
  };

  /** Undefined where the build has another schema version: then there is no live build. */
  const openLive = (projection: Projection, build: BuildName): Reader | undefined => {
    try {
      return openReader(projection, build);
    } catch (error) {
      if (error instanceof BuildOfAnotherSchema) return undefined;
      throw error;
    }
  };

  const openReader = (projection: Projection, build: BuildName): Reader => {
    const path = pathOf(build);
    return { build, file: withStoreErrors(path, () => openBuildFile(path, projection, 'read')) };
  };

  const liveBuild = (projection: Projection): BuildName | undefined => {
    if (closed) throw new StoreUnavailable('the read model is closed');
    const build = liveBuilds.of(projection);
    return build !== undefined && existsSync(pathOf(build)) ? build : undefined;
  };

  /**
   * The reader of the live build, or of the one before it while the live one is still behind that: reads never go back
   * in time.
   */
  const readerOf = (projection: Projection): Reader | undefined => {
    const id = viewOf(projection);
    const live = liveBuild(projection);
    const current = readers.get(id);
    if (live === undefined) {
      readers.delete(id);
      current?.file.close();
      return undefined;
    }
    if (current?.build === live) return current;
    const next = openLive(projection, live);
    if (!next) return undefined;
    if (current && isBehind(next.file, current.file)) {
      next.file.close();
      return current;
    }
    readers.set(id, next);
    current?.file.close();
    return next;
  };

  const read = <Result>(projection: Projection, query: (file: BuildFile) => Result): Result => {
    const reader = readerOf(projection);
    if (!reader) throw new ViewNotBuilt(projection.name);
    return withStoreErrors(reader.file.path, () => query(reader.file));
  };

  return {
    async live(projection) {
      // From now on this process never answers with less than this build has.
      return readerOf(projection) && liveBuild(projection);
    },

    async builds({ name }) {
      return readdirSync(folder)
        .filter((entry) => entry.startsWith(`${name}.v`) && entry.endsWith(extension))
        .map((entry) => entry.slice(0, -extension.length))
        .sort();
    },

    async describe(build) {
      const path = pathOf(build);
      return existsSync(path) ? withStoreErrors(path, () => describeBuildFile(path)) : undefined;
    },

    async open(projection, name, { bulk = false } = {}) {
      const path = pathOf(name);
      return bulk ? openLoadingBuild(projection, name, path) : openLiveBuild(projection, name, path);
    },

    async flip(projection, build) {
      if (!existsSync(pathOf(build))) throw new BuildGone(build);
      openReader(projection, build).file.close(); // throws where it cannot be read, before queries go there
      liveBuilds.set(projection, build);
    },

    async drop(build) {
      const path = pathOf(build);
      liveBuilds.forget(build);
      for (const [id, reader] of readers) {
        if (reader.build !== build) continue;
        readers.delete(id);
        reader.file.close();
      }
      // The file itself goes last: after an interruption the rest is found, and dropped again.
      for (const part of [`${path}-wal`, `${path}-shm`, `${path}-journal`, path]) rmSync(part, { force: true });
    },

    rebuilds: openRebuilds(folder, views),
    ...openTroubles(views),

    async get(projection, key) {
      return read(projection, (file) => file.get(key));
    },

    async find(projection, query) {
      const checked = plan(projection, query);
      return read(projection, (file) => file.find(checked));
    },

    async position(projection) {
      const reader = readerOf(projection);
      return reader && withStoreErrors(reader.file.path, () => reader.file.checkpoint());
    },

    async close() {
      closed = true;
      for (const { file } of readers.values()) file.close();
      readers.clear();
      views.database.close();
    },
  };
}

/** Undefined for a dropped build, whatever its position. */
const isBehind = (next: BuildFile, current: BuildFile): boolean =>
  existsSync(current.path) && (next.checkpoint() ?? -1n) < (current.checkpoint() ?? -1n);
