import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { quantile } from './quantile.js';

const page = Buffer.alloc(4_096, 1);
const everyMs = 50;

/** How long a synced write took, in milliseconds. */
export type SyncedWrites = { readonly p50: number; readonly p99: number };

/**
 * Writes and syncs a page in place at intervals, as a WAL does after a checkpoint, and returns the times when it is
 * stopped: during the load, they show the cost of the disk in each durable step.
 */
export function watchDisk(): () => Promise<readonly number[]> {
  const times: number[] = [];
  let ending = false;
  const writing = (async () => {
    const file = await open(join(temporaryDirectory(), 'probe'), 'w');
    while (!ending) {
      const began = performance.now();
      await file.write(page, 0, page.length, 0);
      await file.datasync();
      times.push(performance.now() - began);
      await pause(everyMs);
    }
    await file.close();
  })();
  return async () => {
    ending = true;
    await writing;
    return times;
  };
}

export const syncedWrites = (times: readonly number[]): SyncedWrites => ({
  p50: Number(quantile(times, 0.5).toFixed(2)),
  p99: Number(quantile(times, 0.99).toFixed(2)),
});
