import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { withStoreErrors } from '../../stores/sqlite/sqlite-errors.js';
import { BuildGone, ViewNotBuilt } from '../errors.js';
import { type BuildName, isBuildName, isBuildOf, type Projection } from '../projection.js';
import { plan } from '../query.js';
import type { ReadModel } from '../read-model.js';
import { type BuildFile, describeBuildFile } from './build-file.js';
import { openLiveBuild, openLoadingBuild } from './open-build.js';
import { openReaders, type Reader } from './readers.js';
import { openRebuilds } from './rebuilds.js';
import { openSetAside } from './set-aside.js';
import { openLiveBuilds, openViewErrors, openViewRecords } from './view-records.js';

const extension = '.db';

/**
 * One file per build in `<directory>/read-models`, beside records of the live builds: a rebuild in another process
 * neither waits for nor changes the live build, and a build is dropped by deleting its file.
 */
export function openSqliteReadModel({ directory }: { directory: string }): ReadModel {
  const folder = join(directory, 'read-models');
  const records = openViewRecords(folder);
  const liveBuilds = openLiveBuilds(records);
  const { pathOf, ...files } = buildFiles(folder);
  let closed = false;

  const liveBuild = (projection: Projection): BuildName | undefined => {
    if (closed) throw new StoreUnavailable('the read model is closed');
    const build = liveBuilds.of(projection);
    return build !== undefined && existsSync(pathOf(build)) ? build : undefined;
  };

  const readers = openReaders(pathOf, liveBuild);
  const { guarded, ...setAside } = openSetAside({
    folder,
    pathOf,
    recorded: liveBuilds.of,
    onPut: readers.forget,
  });

  const reading = <Result>(projection: Projection, query: (reader: Reader | undefined) => Result): Result =>
    guarded(projection, () => {
      const reader = readers.of(projection);
      return reader ? withStoreErrors(reader.file.path, () => query(reader)) : query(undefined);
    });

  const read = <Result>(projection: Projection, query: (file: BuildFile) => Result): Result =>
    reading(projection, (reader) => {
      if (!reader) throw new ViewNotBuilt(projection.name);
      return query(reader.file);
    });

  return {
    async live(projection) {
      // From now on this process never answers with less than this build has.
      return reading(projection, (reader) => reader && liveBuild(projection));
    },

    async builds({ name }) {
      return files.of(name);
    },

    async describe(build) {
      const path = pathOf(build);
      return existsSync(path) ? withStoreErrors(path, () => describeBuildFile(path)) : undefined;
    },

    async open(projection, name, { bulk = false } = {}) {
      const path = pathOf(name);
      if (bulk) return openLoadingBuild(projection, name, path);
      return openLiveBuild(projection, name, path, (work) => guarded(projection, work));
    },

    async flip(projection, build) {
      if (!existsSync(pathOf(build))) throw new BuildGone(build);
      readers.open(projection, build).close(); // throws where it cannot be read, before queries go there
      liveBuilds.set(projection, build);
    },

    async drop(build) {
      liveBuilds.forget(build);
      readers.forget(build);
      files.remove(build);
    },

    rebuilds: openRebuilds(folder, records),
    ...openViewErrors(records),
    ...setAside,

    async get(projection, key) {
      return read(projection, (file) => file.get(key));
    },

    async find(projection, query) {
      const checked = plan(projection, query);
      return read(projection, (file) => file.find(checked));
    },

    async count(projection, where, atMost) {
      const checked = { ...plan(projection, { where }), limit: atMost };
      return read(projection, (file) => file.count(checked));
    },

    async position(projection) {
      return reading(projection, (reader) => reader?.file.checkpoint());
    },

    async close() {
      closed = true;
      readers.close();
    },
  };
}

function buildFiles(folder: string) {
  const pathOf = (build: BuildName): string => {
    if (!isBuildName(build)) throw new RangeError(`${build} is not the name of a build`);
    return join(folder, `${build}${extension}`);
  };
  return {
    pathOf,
    of: (projection: string): readonly BuildName[] =>
      readdirSync(folder)
        .filter((entry) => entry.endsWith(extension))
        .map((entry) => entry.slice(0, -extension.length))
        .filter((name) => isBuildOf(projection, name))
        .sort(),
    remove(build: BuildName) {
      const path = pathOf(build);
      // The file itself goes last: after an interruption the rest is found, and dropped again.
      for (const part of [`${path}-wal`, `${path}-shm`, `${path}-journal`, path]) rmSync(part, { force: true });
    },
  };
}
