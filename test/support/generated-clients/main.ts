import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

// `npm run test:generated`: feeds the API description to generators of other languages and to linters, which takes minutes.
const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
const tests = fileURLToPath(new URL('./calls.js', import.meta.url));
process.exitCode = spawnSync(process.execPath, [mocha, '--spec', tests], { stdio: 'inherit' }).status ?? 1;
