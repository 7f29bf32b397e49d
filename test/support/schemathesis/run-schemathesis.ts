import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownEnvironment } from '../own-environment.js';
import { startProcess } from '../process.js';
import { installPythonPackages } from '../python/install-python-packages.js';
import { temporaryDirectory } from '../temporary-directory.js';

export type FuzzRun = {
  passed: boolean;
  /** Number of requests with generated input. */
  cases: number;
  printed: string;
};

/** Runs schemathesis against the service at `origin`. `configuration`: TOML. `args`: further arguments of `st run`. */
export async function runSchemathesis(
  origin: string,
  configuration: string,
  ...args: readonly string[]
): Promise<FuzzRun> {
  const packages = installPythonPackages();
  const directory = temporaryDirectory();
  const report = join(directory, 'report.json');
  const settings = join(directory, 'schemathesis.toml');
  writeFileSync(settings, configuration);
  const program = [join(packages, 'bin', 'st'), '--config-file', settings, 'run', `${origin}/openapi.json`];
  const options = ['--url', origin, '--no-color', '--report-json-path', report, ...args];
  const env = { ...ownEnvironment(), PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1', HOME: directory };
  const { ended, printed } = startProcess('python3', [...program, ...options], { env, cwd: directory });
  const { code } = await ended;
  return { passed: code === 0, cases: casesIn(report, printed()), printed: printed() };
}

function casesIn(report: string, printed: string): number {
  try {
    const { test_cases }: { test_cases: { generated: number } } = JSON.parse(readFileSync(report, 'utf8'));
    return test_cases.generated;
  } catch (error) {
    throw new Error(`schemathesis has written no report:\n${printed}`, { cause: error });
  }
}
