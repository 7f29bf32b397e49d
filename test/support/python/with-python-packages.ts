import { notRun } from '../not-run.js';
import { installPythonPackages } from './install-python-packages.js';

/**
 * Defines tests that need the Python packages of a `requirements.txt`; they get the folder for `PYTHONPATH`. If the packages cannot be
 * installed, defines one test that reports this instead.
 */
export function withPythonPackages(
  what: string,
  { requirements, limitMs }: { requirements: string; limitMs: number },
  tests: (packages: string) => void,
): void {
  let packages: string;
  try {
    packages = installPythonPackages(requirements);
  } catch (error) {
    notRun(what, error as Error);
    return;
  }
  describe(what, function () {
    this.timeout(limitMs);
    tests(packages);
  });
}
