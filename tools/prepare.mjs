// Runs before any package is installed, on any Node that npm runs on: it uses Node's own modules only.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFolders } from './package-folders.mjs';

const project = fileURLToPath(new URL('..', import.meta.url));

/**
 * The packages that a lock file lists, by their path below its package.
 * @param {string} path of the lock file
 * @returns {Record<string, { version?: string, optional?: boolean }>} empty if there is no such file
 */
function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}

/**
 * True if node_modules of a folder holds the versions of its package-lock.json. Optional packages of other platforms may be missing. @param
 * {string} folder with a package.json
 */
function isInstalled(folder) {
  const installed = packagesOf(join(folder, 'node_modules/.package-lock.json'));
  return Object.entries(packagesOf(join(folder, 'package-lock.json')))
    .filter(([path]) => path !== '')
    .every(([path, { version, optional }]) =>
      installed[path] === undefined ? optional : installed[path].version === version,
    );
}

/** Runs an npm command in a folder, prints a line first, and ends this process with the command's exit code if it fails. */
function step(title, folder, ...args) {
  console.log(title);
  try {
    execFileSync('npm', args, { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' });
  } catch (error) {
    process.exit(error.status ?? 1);
  }
}

/**
 * @param {string} title of the step
 * @param {string} folder whose package-lock.json says what to install
 */
function install(title, folder) {
  if (!isInstalled(folder)) step(title, folder, 'ci', '--no-audit', '--no-fund', '--loglevel=error'); // .npmrc is not for folders below
}

install('Installing packages …', project);
step('Compiling …', project, 'run', '--silent', 'build');

if (process.argv.includes('--packages')) {
  for (const folder of packageFolders(project)) install(`Installing packages of ${folder} …`, join(project, folder));
}
