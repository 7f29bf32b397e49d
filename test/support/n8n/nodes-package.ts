import { resolve } from 'node:path';
import { npm } from '../install-npm-packages.js';
import { temporaryDirectory } from '../temporary-directory.js';

/** `platforms/n8n`; compiled tests are in `dist`. */
export const nodesPackage = resolve('platforms/n8n');

/** Builds the package of the nodes and packs it as npm publishes it. Returns the path of the archive. */
export function packNodes(): string {
  npm(nodesPackage, 'run', '--silent', 'build');
  const folder = temporaryDirectory();
  const packed = JSON.parse(npm(nodesPackage, 'pack', '--json', '--pack-destination', folder)) as [
    { filename: string },
  ];
  return resolve(folder, packed[0].filename);
}
