import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ownEnvironment } from '../own-environment.js';
import { withPythonPackages } from '../python/with-python-packages.js';
import { temporaryDirectory } from '../temporary-directory.js';

const run = promisify(execFile);
const limitMs = 300_000;

/** The folder that users copy. */
export const packageFolder = resolve('clients/python');

/** Directory in which mypy keeps its results for unchanged files, which it knows by their digests. */
export const mypyCache = resolve('node_modules/.cache/mypy/client');

export type Environment = Readonly<Record<string, string>>;

/**
 * Defines tests of the package. `requirements`: the packages that its tests and its generator need, for `PYTHONPATH`. If they cannot be
 * installed, defines one test that reports this instead.
 */
export const withPythonRequirements = (what: string, tests: (requirements: string) => void): void =>
  withPythonPackages(what, { requirements: join(packageFolder, 'requirements-dev.txt'), limitMs }, tests);

/** Runs Python in the folder, and resolves to what it printed. Rejects with all of its output if it fails. */
export async function python(args: readonly string[], environment: Environment): Promise<string> {
  const env = { ...ownEnvironment(), PYTHONDONTWRITEBYTECODE: '1', ...environment };
  const options = { cwd: packageFolder, env, timeout: limitMs, maxBuffer: 16_777_216 };
  const { stdout } = await run('python3', args, options).catch((error: Error & { stdout: string; stderr: string }) => {
    throw new Error(`python3 ${args.join(' ')}\n${error.stdout}${error.stderr}`, { cause: error });
  });
  return stdout;
}

/** Builds the package as `pip install clients/python` does, without downloads, and resolves to the folder of the installed package. */
export async function installPackage(requirements: string): Promise<string> {
  const folder = temporaryDirectory();
  const offline = ['--quiet', '--no-build-isolation', '--no-deps', '--no-index', '--disable-pip-version-check'];
  await python(['-m', 'pip', 'install', ...offline, '--target', folder, '.'], { PYTHONPATH: requirements });
  return folder;
}

/** The tests of the package, by their names in `unittest`, with a sentence made from class and function. */
export function pythonCases(): readonly { id: string; sentence: string }[] {
  const folder = join(packageFolder, 'tests');
  return readdirSync(folder)
    .filter((name) => name.startsWith('test_'))
    .flatMap((name) => {
      let group = '';
      const source = readFileSync(join(folder, name), 'utf8');
      return [...source.matchAll(/^(?:class (\w+)\(| {4}def test_(\w+)\()/gm)].flatMap(([, className, test]) => {
        group = className ?? group;
        const id = `tests.${name.replace(/\.py$/, '')}.${group}.test_${test}`;
        return test ? [{ id, sentence: `${wordsOf(group)} ${wordsOf(test)}` }] : [];
      });
    });
}

/** `PublishBatch` and `has_all_pages` as words. */
const wordsOf = (name: string): string =>
  name.replaceAll('_', ' ').replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Result of each test: `ok`, or its failure. */
export const runCases = async (environment: Environment): Promise<Readonly<Record<string, string>>> =>
  JSON.parse(await python([resolve('test/support/packages/run-python-cases.py')], environment));
