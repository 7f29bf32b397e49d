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
  return {
    of: ({ name, version }) => withStoreErrors(path, () => of.get(name, version) as BuildName | undefined),
    set: ({ name, version }, build) => withStoreErrors(path, () => void set.run(name, version, build)),
    forget: (build) => withStoreErrors(path, () => void forget.run(build)),
  };
}
