import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';

/** Compiled tests are in `dist`; the list of packages, with their hashes, is among the sources. */
const requirements = resolve('test/support/schemathesis/requirements.txt');
const installLimitMs = 300_000;

/**
 * The folder with schemathesis and the packages that it needs, for `PYTHONPATH`. It is installed at the first call, from PyPI, in the
 * versions and with the hashes of `requirements.txt`. Throws an error that says what to install if Python or pip is missing.
 */
export function installSchemathesis(): string {
  const key = createHash('sha256')
    .update(readFileSync(requirements))
    .update(pythonVersion())
    .digest('hex')
    .slice(0, 16);
  const folder = resolve('node_modules/.cache/schemathesis', key);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}-${randomUUID()}`; // another run may install at the same time, or this one may be killed
  mkdirSync(unfinished, { recursive: true });
  python(['-m', 'pip', 'install', '--quiet', '--require-hashes', '--target', unfinished, '-r', requirements]);
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(unfinished, { recursive: true });
  }
  return folder;
}

function pythonVersion(): string {
  const version = python(['-c', 'import sys, pip; print(f"{sys.version_info[0]}.{sys.version_info[1]:02}")']).trim();
  if (version < '3.11') throw new Error(`schemathesis needs Python 3.11 or later, but python3 is ${version}`);
  return version;
}

function python(args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync('python3', args, { encoding: 'utf8', timeout: installLimitMs });
  if (status === 0) return stdout;
  throw new Error(
    'schemathesis, with which the test sends requests to every route, needs Python 3.11 with pip: ' +
      `apt-get install python3 python3-pip\n${error ?? stderr}`,
  );
}
