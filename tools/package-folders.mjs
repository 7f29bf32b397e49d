import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The packages of this repository that users copy, each with a lock file of its own: `clients/typescript` …
 * @param {string} project the root of the repository
 * @returns {string[]} folders, relative to the root
 */
export function packageFolders(project) {
  return ['clients', 'platforms']
    .filter((group) => existsSync(join(project, group)))
    .flatMap((group) => readdirSync(join(project, group)).map((name) => join(group, name)))
    .filter((folder) => existsSync(join(project, folder, 'package-lock.json')));
}
