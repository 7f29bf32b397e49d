import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { openDatabaseFile } from '../../sqlite/database-file.js';

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
    `CREATE TABLE rebuilds (
       view TEXT PRIMARY KEY,
       build TEXT,
       host TEXT NOT NULL,
       pid INTEGER NOT NULL,
       since TEXT NOT NULL,
       cancelled INTEGER NOT NULL,
       progress TEXT
     ) WITHOUT ROWID;
     CREATE TABLE troubles (
       view TEXT PRIMARY KEY,
       message TEXT NOT NULL,
       position TEXT,
       since TEXT NOT NULL
     ) WITHOUT ROWID;
     DELETE FROM live; -- builds are of another schema`,
  ],
};

/** The data about views besides their documents. */
export type ViewsFile = { readonly path: string; readonly database: Database.Database };

/**
 * Opens it. Every read goes to the file, so that changes of other processes are seen at once; each change is synced,
 * because the files that it replaces are deleted soon after.
 */
export const openViewsFile = (directory: string): ViewsFile => ({
  path: join(directory, file.name),
  database: openDatabaseFile(directory, file),
});
