import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { certificateEnvironment } from './support/own-certificate.js';

/** Each source file is a figure with the file's name; `mongodb/leasing.ts` is `mongodb-leasing`. Paths from the project's root. */
const figures = new Map(
  globSync('bench/figures/**/*.ts').map((path) => {
    const name = basename(path, '.ts');
    return [path.includes('mongodb') ? `mongodb-${name}` : name, join('dist', path.replace(/ts$/, 'js'))];
  }),
);

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !figures.has(name));
if (unknown.length > 0) {
  process.stderr.write(`bench: there is no ${unknown.join(', ')}: there are ${[...figures.keys()].join(', ')}\n`);
  process.exit(2);
}
const env = { ...process.env, ...certificateEnvironment() };
for (const name of asked.length > 0 ? asked : figures.keys()) {
  const [code] = (await once(
    spawn(process.execPath, [figures.get(name) ?? ''], { stdio: 'inherit', env }),
    'exit',
  )) as [number | null];
  if (code !== 0) process.exitCode = 1;
}
