import { stat } from 'node:fs/promises';
import type { Logger } from 'pino';

/** All permissions of other users, and writing by the group. A group may read: a service and its operators share one. */
const exposingBits = 0o027;

/**
 * Logs a warning for each file with secrets that other users may read or that its group may write. Files that do not exist are
 * skipped, as is Windows, where modes say nothing about access.
 */
export async function warnOfExposedFiles(paths: readonly string[], log: Pick<Logger, 'warn'>): Promise<void> {
  if (process.platform === 'win32') return;
  for (const file of paths) {
    const found = await stat(file).catch(() => undefined); // reading it reports the reason
    if (!found || (found.mode & exposingBits) === 0) continue;
    const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
    log.warn({ file, mode }, 'other users can read or change a file with keys: its mode should be 0600');
  }
}
