import type { LogSync } from '../../sqlite/log-sync.js';
import type { PageReader } from './read-pages.js';

/**
 * How far the log is on the disk. What has been committed and not yet synced may be taken away by a loss of power, and its
 * positions given to other events: nobody who keeps a checkpoint elsewhere may pass them before.
 */
export type DurableEnd = {
  /** The position up to which all is on the disk, as far as it is known; where others may have appended, it is found out. */
  readonly position: () => Promise<bigint>;
  /** The same for all that has been appended by now, whoever appended it. */
  readonly now: () => Promise<bigint>;
  /** Resolves once all up to this position is on the disk. */
  readonly passed: (position: bigint) => Promise<void>;
  /** All up to this position is on the disk. */
  readonly reached: (position: bigint) => void;
  /** Others may have appended. */
  readonly doubt: () => void;
};

export function durableEnd(reader: Pick<PageReader, 'head'>, log: Pick<LogSync, 'synced'>): DurableEnd {
  let end = -1n;
  let doubted = true;
  let findingOut: Promise<bigint> | undefined;

  const reached = (position: bigint): void => {
    if (position > end) end = position;
  };

  async function now(): Promise<bigint> {
    const head = reader.head();
    if (head > end) {
      await log.synced();
      reached(head);
    }
    return end;
  }

  async function findOut(): Promise<bigint> {
    try {
      while (doubted) {
        doubted = false;
        await now();
      }
      return end;
    } catch (error) {
      doubted = true;
      throw error;
    } finally {
      findingOut = undefined;
    }
  }

  return {
    async position() {
      if (doubted) findingOut ??= findOut();
      return findingOut ?? end;
    },
    now,
    async passed(position) {
      if (position > end) await now();
    },
    reached,
    doubt() {
      doubted = true;
    },
  };
}
