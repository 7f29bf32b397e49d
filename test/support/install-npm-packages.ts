import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { madeOnce } from './made-once.js';

/**
 * The folder with packages that only tests need. They are installed at the first call, without their install scripts.
 *
 * @param name of the folder in `node_modules/.cache`, with the versions
 * @param finish called with the folder before it gets its name
 */
export const installNpmPackages = (
  name: string,
  packages: readonly string[],
  finish?: (folder: string) => void,
): string =>
  madeOnce(name, (folder) => {
    console.log(`Installing ${packages[0]} into ${folder} …`);
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    npm(folder, 'install', ...packages, '--ignore-scripts');
    finish?.(folder);
  });

/** Runs an npm command in a folder. Returns its output. */
export function npm(folder: string, ...args: readonly string[]): string {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  return execFileSync('npm', [...args, ...quiet], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
}
