import { resolve } from 'node:path';
import { installPythonPackages } from '../python/install-python-packages.js';

/** The folder with schemathesis, for `PYTHONPATH`. Throws as {@link installPythonPackages}. */
export function installSchemathesis(): string {
  return installPythonPackages(resolve('test/support/schemathesis/requirements.txt')); // compiled tests are in `dist`
}
