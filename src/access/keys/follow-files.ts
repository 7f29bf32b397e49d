import { stat } from 'node:fs/promises';
import type { Logger } from 'pino';
import { everyInterval } from '../../kernel/shared-interval.js';
import { StoreUnavailable } from '../../kernel/store-errors.js';

export type FollowFiles = {
  /** For the log. */
  readonly what: string;
  readonly log: Pick<Logger, 'info' | 'error'>;
  /** Interval of the shared timer. */
  readonly checkEveryMs: number;
  /** Much less than the time between the publication of a key and its use. */
  readonly lookEveryMs?: number;
  /** Called after a change, and again until it succeeds. */
  readonly onChanged: () => Promise<void>;
};

/** Calls `onChanged` when one of the files has been changed or replaced. A failure is logged once for each reason. */
export function followFiles(
  files: readonly string[],
  { what, log, checkEveryMs, lookEveryMs = 5_000, onChanged }: FollowFiles,
): () => void {
  if (files.length === 0) return () => undefined;
  let adopted: string | undefined;
  let lastFailure: string | undefined;
  let lookedAt = performance.now();
  let isLooking = false;
  let isStopped = false;

  async function look(): Promise<void> {
    try {
      const version = await versionOf(files);
      if (version === adopted || isStopped) return;
      await onChanged();
      if (adopted !== undefined) log.info({ files }, `the ${what} were read again`);
      [adopted, lastFailure] = [version, undefined];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const isExpected = error instanceof StoreUnavailable; // the store's trouble is reported elsewhere
      if (!isExpected && reason !== lastFailure)
        log.error({ files, err: error }, `the changed ${what} cannot be used; the previous ones stay in use`);
      lastFailure = reason;
    }
  }

  const stop = everyInterval(checkEveryMs, () => {
    if (isLooking || performance.now() - lookedAt < lookEveryMs) return;
    lookedAt = performance.now();
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  });
  return () => {
    isStopped = true;
    stop();
  };
}

/** Changes when a file is written or replaced. Throws the error of a file that is missing. */
async function versionOf(files: readonly string[]): Promise<string> {
  const versions = files.map(async (file) => {
    const { ino, mtimeMs, size } = await stat(file);
    return `${ino} ${mtimeMs} ${size}`;
  });
  return (await Promise.all(versions)).join();
}
