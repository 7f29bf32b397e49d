import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryDirectory } from '../test/support/temporary-directory.js';
import { median } from './report.js';

const page = Buffer.alloc(4_096, 1);
const everyMs = 50;

/**
 * Writes and syncs a page now and then, and tells, once it is told to end, how long that took in milliseconds, as a median:
 * beside the load, it is what the disk takes of each durable step.
 */
export function watchDisk(): () => Promise<number> {
  const times: number[] = [];
  let ending = false;
  const writing = (async () => {
    const file = await open(join(temporaryDirectory(), 'probe'), 'w');
    while (!ending) {
      const began = performance.now();
      await file.write(page);
      await file.datasync();
      times.push(performance.now() - began);
      await pause(everyMs);
    }
    await file.close();
  })();
  return async () => {
    ending = true;
    await writing;
    return median(times);
  };
}
