#!/usr/bin/env node
import { existsSync } from 'node:fs';

const cli = new URL('../dist/src/cli/main.js', import.meta.url);
if (existsSync(cli)) {
  await import(cli.href);
} else {
  console.error('flow-hooks: not built yet; run `npm run build` (`npm start` does it too)');
  process.exitCode = 1;
}
