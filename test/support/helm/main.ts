import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

// `npm run test:helm`, with helm or Go, which builds it in minutes: lints the chart and renders it with various values.
const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
const tests = fileURLToPath(new URL('./renderings.js', import.meta.url));
process.exitCode = spawnSync(process.execPath, [mocha, '--spec', tests], { stdio: 'inherit' }).status ?? 1;
