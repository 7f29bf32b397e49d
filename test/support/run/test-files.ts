import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../../..', import.meta.url));
const sources = resolve(dist, '..', 'test');

/** The files that take longest, the longest first: one that started last would run alone. */
const longest = [
  'api-description/fuzz-embedded',
  'cluster/several-instances',
  'alerts/service',
  'erase-organisation',
  'cluster/lost-mongodb',
  'cluster/stores-down',
  'cluster/rebuild',
  'api-description/fuzz-cluster',
  'alerts/stores',
  'keys/rotation',
  'deliveries/local-outage',
  'image-steps',
  'recorded-scenarios',
  'in-chromium',
  'cluster/',
  'sqlite/checkpoint-logs',
  'sqlite-delivery-queue.test',
  'worker/worker.test',
  'sqlite-delivery-queue/',
  'fan-out-backlog',
  'run-replay',
  'journeys/',
];

/** The compiled test files, relative to the project: those that have a source. The longest come first. */
export function testFiles(): readonly string[] {
  const names = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.test\.tsx?$/.test(name),
  );
  const files = names.sort().map((name) => relative(process.cwd(), join(dist, 'test', name.replace(/\.tsx?$/, '.js'))));
  const rank = (file: string) => [...longest, file].findIndex((part) => file.includes(part));
  return files.sort((one, other) => rank(one) - rank(other));
}

/**
 * Whether a compiled test starts no process and no server: neither it nor a module of the project that it imports, also
 * indirectly, imports `node:child_process` or calls `listen`. `fast-guard.ts` fails the fast tests that do so by other means.
 */
export function isFast(file: string): boolean {
  const seen = new Set<string>();
  const startsNothing = (path: string): boolean => {
    if (seen.has(path)) return true;
    seen.add(path);
    const text = readFileSync(path, 'utf8');
    if (/['"]node:child_process['"]|\.listen\(/.test(text)) return false;
    const imported = [...text.matchAll(/^(?:import|export)\b[^'"=]*['"](\.{1,2}\/[^'"]+\.js)['"]/gm)];
    return imported.every(([, name = '']) => startsNothing(resolve(dirname(path), name)));
  };
  return startsNothing(resolve(file));
}
