import type { GroupCommit } from '../../../stores/sqlite/group-commit.js';
import type { BufferWriter } from './buffer-writer.js';

/**
 * Interval between flushes: a delivery that does not succeed at once is written within two of them. Most succeed earlier, and are
 * written once, with their outcome.
 */
const flushIntervalMs = 1_000;

/** Flushes the write-behind buffer at intervals as long as anything is in it. */
export function openFlushTimer(
  bufferWriter: Pick<BufferWriter, 'flushOld' | 'hasPending'>,
  callWithoutSync: GroupCommit['callWithoutSync'],
): { readonly schedule: () => void; readonly stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  function schedule(): void {
    if (stopped || !bufferWriter.hasPending()) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      callWithoutSync(bufferWriter.flushOld)
        .catch(() => undefined)
        .finally(schedule);
    }, flushIntervalMs).unref();
  }

  return {
    schedule,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
