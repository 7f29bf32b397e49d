import { accessSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const memory = '/dev/shm';
/** Many times the size of the temporary directories that a run has at once. */
const enoughBytes = 4 * 1_024 ** 3;

/**
 * The environment of test processes that keep temporary directories in memory, where Linux has the space for it: a slow disk, to which
 * each commit of a store is written through, takes more time than the tests. A process that starts after a kill finds its files there too.
 */
export function inMemory(): Readonly<Record<string, string>> {
  if (process.env.TMPDIR !== undefined || !hasSpace()) return {};
  const directory = mkdtempSync(join(memory, 'flow-hooks-run-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true })); // those of processes that were killed too
  return { TMPDIR: directory };
}

function hasSpace(): boolean {
  try {
    accessSync(memory, constants.W_OK);
  } catch {
    return false; // another system
  }
  const { bavail, bsize } = statfsSync(memory);
  return Math.min(bavail * bsize, process.availableMemory()) >= enoughBytes;
}
