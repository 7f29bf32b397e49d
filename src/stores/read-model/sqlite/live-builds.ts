import type { BuildName } from '../build-name.js';
import type { Projection } from '../projection.js';
import type { ViewsFile } from './views-file.js';

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
