import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../../..', import.meta.url));
const sources = resolve(dist, '..', 'test');

/**
 * The files with a process of their own, the longest first, since one that started last would run alone: those that take
 * longer than most, and those whose subject is the process itself or a module-global state of the event store's client.
 */
const alone = [
  'upgrades/rolling-upgrade',
  'api-description/fuzz-embedded',
  'cluster/several-instances',
  'cluster/two-instances',
  'adapters/eventstoredb-event-store',
  'alerts/',
  'erase-organisation',
  'image-steps',
  'zapier-build',
  'api-description/fuzz-cluster',
  'packages/python-client',
  'deliveries/local-outage',
  'in-chromium',
  'cluster/',
  'eventstoredb/',
  'eventstoredb-double/',
  'mongodb-stand-in/',
  'keys/rotation',
  'deliveries/kill',
  'interrupted-',
  'journeys/erasure',
  'typescript-client-package',
  'loaded-modules',
  'adapters/filters',
  'mongodb-delivery-queue',
  'mongodb-read-model',
  'deliveries/posting',
  'closed-sockets',
  'bounded-memory',
  'shared-interval',
  'run-files',
];

/** The fast files that take longest, which are spread over the processes of the fast ones. */
const longestFast = [
  'sqlite-delivery-queue/long-changes',
  'sqlite-delivery-queue.test',
  'fully-leased-listeners',
  'written-behind.properties',
  'verify-views',
  'fan-out-backlog',
  'checkpoint-logs',
  'sqlite-event-store.test',
  'written-behind-crash',
  'worker/worker.test',
  'latest-flow-events',
  'leasing-at-once',
  'sqlite-read-model.test',
  'posting/sign.test',
];

/** Whether a test file that is not fast has its own process. */
export const runsAlone = (file: string): boolean => alone.some((part) => file.includes(part));

/** The compiled test files, relative to the project: those that have a source. Those that take longest come first. */
export function testFiles(): readonly string[] {
  const names = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.test\.tsx?$/.test(name),
  );
  const files = names.sort().map((name) => relative(process.cwd(), join(dist, 'test', name.replace(/\.tsx?$/, '.js'))));
  const rank = (file: string) => [...alone, ...longestFast, file].findIndex((part) => file.includes(part));
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
