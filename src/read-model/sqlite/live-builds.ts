import { join } from 'node:path';
import type { Projection } from '../../../projections/projection.js';
import { openDatabaseFile } from '../../data-directory/database-file.js';
import { withStoreErrors } from '../../data-directory/sqlite-errors.js';
import type { BuildName } from '../read-model.js';

const file = {
  name: 'live.db',
  applicationId: 0x4648726c, // FHrl
  migrations: [
    `CREATE TABLE live (
       projection TEXT NOT NULL,
       version INTEGER NOT NULL,
       build TEXT NOT NULL,
       PRIMARY KEY (projection, version)
     ) WITHOUT ROWID`,
  ],
};

/**
 * Which build answers for each version of each projection. Every look is at the file, so that what another process has
 * changed is seen at once; each change is synced, since what it replaces is deleted soon after.
 */
export type LiveBuilds = {
  of(projection: Projection): BuildName | undefined;
  set(projection: Projection, build: BuildName): void;
  forget(build: BuildName): void;
  close(): void;
};

export function openLiveBuilds(directory: string): LiveBuilds {
  const database = openDatabaseFile(directory, file);
  const path = join(directory, file.name);
  const of = database.prepare<[string, number]>('SELECT build FROM live WHERE projection = ? AND version = ?').pluck();
  const set = database.prepare<[string, number, string]>('INSERT OR REPLACE INTO live VALUES (?, ?, ?)');
  const forget = database.prepare<[string]>('DELETE FROM live WHERE build = ?');
  return {
    of: ({ name, version }) => withStoreErrors(path, () => of.get(name, version) as BuildName | undefined),
    set: ({ name, version }, build) => withStoreErrors(path, () => void set.run(name, version, build)),
    forget: (build) => withStoreErrors(path, () => void forget.run(build)),
    close: () => database.close(),
  };
}
