import { needs } from '../run/programs.js';
import { installPythonPackages } from './install-python-packages.js';

/**
 * Defines tests that need the Python packages of a `requirements.txt`; they get the folder for `PYTHONPATH`.
 */
export function withPythonPackages(
  what: string,
  { requirements, limitMs }: { requirements: string; limitMs: number },
  tests: (packages: string) => void,
): void {
  if (!needs('python')) return;
  const packages = installPythonPackages(requirements);
  describe(what, function () {
    this.timeout(limitMs);
    tests(packages);
  });
}
