import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { installN8n, installNodeCli } from './install-n8n.js';

// `npm run test:n8n`: installs n8n and its linter, which takes minutes, and tests the nodes of platforms/n8n with them.
installN8n();
installNodeCli();
const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
const tests = fileURLToPath(new URL('./in-n8n.js', import.meta.url));
process.exitCode = spawnSync(process.execPath, [mocha, '--spec', tests], { stdio: 'inherit' }).status ?? 1;
