#!/usr/bin/env node
import { existsSync } from 'node:fs';

const built = (path) => new URL(`../dist/src/${path}`, import.meta.url);
const quoted = (word) => (/^[\w./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

if (existsSync(built('cli/main.js'))) {
  const { refuseOldNode } = await import(built('kernel/node-version.js').href);
  refuseOldNode(['npx flow-hooks', ...process.argv.slice(2).map(quoted)].join(' '));
  await import(built('cli/main.js').href);
} else {
  console.error('flow-hooks: not built yet; run `npm run build` (`npm start` does it too)');
  process.exitCode = 1;
}
