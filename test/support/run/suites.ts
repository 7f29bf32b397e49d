import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Program, programs } from './programs.js';

const tests = fileURLToPath(new URL('../../../../test', import.meta.url));

/**
 * The suites, by what their files need. The name of a file says its suite (`x.servers.test.ts`); a file without one is in the core.
 * `files`: the number that a process runs one after the other, so that they load the modules and start the service once.
 */
export const suites: Readonly<Record<string, { files: number; programs: readonly Program[] }>> = {
  core: { files: 8, programs: [] },
  service: { files: 12, programs: ['linux'] },
  servers: { files: 1, programs: ['java', 'own-mongodb'] },
  browser: { files: 3, programs: ['chromium'] },
  packages: { files: 1, programs: ['python', 'go', 'java', 'prometheus', 'systemd', 'nginx', 'caddy'] },
  load: { files: 1, programs: ['java', 'python'] },
  n8n: { files: 1, programs: [] },
  generated: { files: 1, programs: ['java', 'python', 'go'] },
  helm: { files: 1, programs: ['helm'] },
};

/** The suite of a test file, by its name. */
export function suiteOf(file: string): string {
  const [, name = ''] = /\.(\w+)\.test\.tsx?$/.exec(file) ?? [];
  return name in suites ? name : 'core';
}

/** The test files, as paths from the project's root. */
export const testFiles = (): readonly string[] =>
  readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.test\.tsx?$/.test(name))
    .sort()
    .map((name) => join('test', name));

/** Journeys of the core that a process runs: half of them, so that those without settings of their own share a service. */
const journeys = 6;

/** The compiled files by process; the journeys of the core come first, since they take longest. */
export function batches(files: readonly string[]): string[][] {
  const isJourney = (file: string) => suiteOf(file) === 'core' && file.startsWith('test/journeys/');
  const batched = chunks(files.filter(isJourney), journeys);
  for (const [suite, { files: size }] of Object.entries(suites)) {
    const others = files.filter((file) => suiteOf(file) === suite && !isJourney(file));
    batched.push(...chunks(others, size));
  }
  return batched.map((batch) => batch.map((file) => join('dist', file.replace(/\.tsx?$/, '.js'))));
}

function chunks(files: readonly string[], size: number): string[][] {
  const count = Math.ceil(files.length / size);
  return Array.from({ length: count }, (_, index) => files.slice(index * size, (index + 1) * size));
}

/** The programs that these suites need and this machine lacks. */
export const missingPrograms = (names: readonly string[]): readonly Program[] =>
  [...new Set(names.flatMap((name) => suites[name]?.programs ?? []))].filter((name) => !programs[name].isFound());
