// Runs before any package is installed, on any Node that npm runs on: it uses Node's own modules only.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));

/**
 * The packages that a lock file lists, by their path below the project.
 * @param {string} path of the lock file, relative to the project
 * @returns {Record<string, { version?: string, optional?: boolean }>} empty if there is no such file
 */
function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}

/** Whether node_modules holds the versions of package-lock.json. Optional packages of other platforms may be missing. */
function isInstalled() {
  const installed = packagesOf('node_modules/.package-lock.json');
  return Object.entries(packagesOf('package-lock.json'))
    .filter(([path]) => path !== '')
    .every(([path, { version, optional }]) =>
      installed[path] === undefined ? optional : installed[path].version === version,
    );
}

/** Runs an npm command, prints a line first, and ends this process with the command's exit code if it fails. */
function step(title, ...args) {
  console.log(title);
  try {
    execFileSync('npm', args, { cwd: project, stdio: 'inherit', shell: process.platform === 'win32' });
  } catch (error) {
    process.exit(error.status ?? 1);
  }
}

// Errors only: npm would warn of this machine's Node, on which nothing will run.
if (!isInstalled()) step('Installing packages …', 'ci', '--no-audit', '--no-fund', '--loglevel=error');
step('Compiling …', 'run', '--silent', 'build');
