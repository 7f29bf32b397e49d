import { spawnSync } from 'node:child_process';
import { basename, dirname, resolve } from 'node:path';
import { contentKey, madeOnce } from '../made-once.js';

const installLimitMs = 300_000;

export const testRequirements = resolve('test/support/python/requirements.txt'); // compiled tests are in `dist`

/**
 * The folder with the Python packages of a `requirements.txt`, for `PYTHONPATH`. They are installed at the first call, from PyPI, in
 * the versions and with the hashes of that file. Throws an error that says what to install if Python 3.11 or pip is missing.
 *
 * @param requirements path of the file, by default with what tests use; the folder that contains it gives the installation its name
 */
export function installPythonPackages(requirements = testRequirements): string {
  const name = basename(dirname(resolve(requirements)));
  return madeOnce(`python/${name}-${contentKey([requirements], pythonVersion(name))}`, (folder) => {
    python(name, ['-m', 'pip', 'install', '--quiet', '--require-hashes', '--target', folder, '-r', requirements]);
  });
}

function pythonVersion(name: string): string {
  const program = 'import sys, pip; print(f"{sys.version_info[0]}.{sys.version_info[1]:02}")';
  const version = python(name, ['-c', program]).trim();
  if (version < '3.11') throw new Error(`${name} needs Python 3.11 or later, but python3 is ${version}`);
  return version;
}

function python(name: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync('python3', args, { encoding: 'utf8', timeout: installLimitMs });
  if (status === 0) return stdout;
  throw new Error(
    `the packages of ${name} need Python 3.11 with pip: apt-get install python3 python3-pip\n${error ?? stderr}`,
  );
}
