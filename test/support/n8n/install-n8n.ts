import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { madeOnceSync } from '../made-once.js';

/** Newer ones depend on packages that not every registry has. */
export const n8nVersion = '2.40.7';

/** n8n's own linter of community packages. */
const nodeCliVersion = '0.48.3';

/** The folder with n8n. It is installed at the first call: 2.8 GB, some minutes. */
export function installN8n(): string {
  // Scripts are not run but one: most are native builds of integrations that are not used.
  return installed(`n8n-${n8nVersion}`, [`n8n@${n8nVersion}`], (folder) => npm(folder, 'rebuild', 'sqlite3'));
}

/** The folder with `@n8n/node-cli`. It is installed at the first call: 700 MB. */
export const installNodeCli = (): string =>
  installed(`n8n-node-cli-${nodeCliVersion}`, [`@n8n/node-cli@${nodeCliVersion}`, 'typescript@5.9.3']);

const installed = (name: string, packages: readonly string[], finish?: (folder: string) => void): string =>
  madeOnceSync(resolve('node_modules/.cache', name), (folder) => {
    console.log(`Installing ${packages[0]} into ${folder}: this takes some minutes …`);
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    npm(folder, 'install', ...packages, '--ignore-scripts');
    finish?.(folder);
  });

export function npm(folder: string, ...args: readonly string[]): string {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  return execFileSync('npm', [...args, ...quiet], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
}
