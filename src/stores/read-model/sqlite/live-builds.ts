import { withStoreErrors } from '../../sqlite/sqlite-errors.js';
import type { BuildName } from '../build-name.js';
import type { Projection } from '../projection.js';
import type { ViewsFile } from './views-file.js';

/** The live build of each version of each projection. */
export type LiveBuilds = {
  of(projection: Projection): BuildName | undefined;
  set(projection: Projection, build: BuildName): void;
  forget(build: BuildName): void;
};

export function openLiveBuilds({ path, database }: ViewsFile): LiveBuilds {
  const of = database.prepare<[string, number]>('SELECT build FROM live WHERE projection = ? AND version = ?').pluck();
  const set = database.prepare<[string, number, string]>('INSERT OR REPLACE INTO live VALUES (?, ?, ?)');
  const forget = database.prepare<[string]>('DELETE FROM live WHERE build = ?');
  const dataVersion = database.prepare<[], number>('PRAGMA data_version').pluck();
  /** Valid until this or another process changes the file: every query and every follower asks. */
  const cached = new Map<string, BuildName | undefined>();
  let versionSeen: number | undefined;

  function find({ name, version }: Projection): BuildName | undefined {
    const current = dataVersion.get();
    if (current !== versionSeen) cached.clear();
    versionSeen = current;
    const key = `${name}.v${version}`;
    if (!cached.has(key)) cached.set(key, of.get(name, version) as BuildName | undefined);
    return cached.get(key);
  }

  function change(write: () => unknown): void {
    try {
      withStoreErrors(path, write);
    } finally {
      cached.clear(); // `data_version` does not change with this connection's own writes
    }
  }

  return {
    of: (projection) => withStoreErrors(path, () => find(projection)),
    set: ({ name, version }, build) => change(() => set.run(name, version, build)),
    forget: (build) => change(() => forget.run(build)),
  };
}
