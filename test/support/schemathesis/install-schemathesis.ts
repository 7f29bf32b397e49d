import { resolve } from 'node:path';
import { installPythonPackages } from '../python/install-python-packages.js';

export const schemathesisRequirements = resolve('test/support/schemathesis/requirements.txt'); // compiled tests are in `dist`

/** The folder with schemathesis, for `PYTHONPATH`. Throws as {@link installPythonPackages}. */
export const installSchemathesis = (): string => installPythonPackages(schemathesisRequirements);
