import type { WalSync } from '../../sqlite/wal-sync.js';
import type { PageReader } from './read-pages.js';

/**
 * The position up to which the log is synced to disk. A power loss may undo commits that are not synced yet, and their
 * positions are then given to other events: a checkpoint stored elsewhere must not pass them before.
 */
export type DurablePosition = {
  /** The known durable position; where other connections may have appended, it is determined first. */
  readonly position: () => Promise<bigint>;
  /** The same, including everything that any connection has appended by now. */
  readonly now: () => Promise<bigint>;
  /** Resolves once everything up to this position is durable. */
  readonly passed: (position: bigint) => Promise<void>;
  /** Records that everything up to this position is durable. */
  readonly reached: (position: bigint) => void;
  /** Records that other connections may have appended. */
  readonly doubt: () => void;
};

export function durablePosition(reader: Pick<PageReader, 'head'>, wal: Pick<WalSync, 'synced'>): DurablePosition {
  let end = -1n;
  let doubted = true;
  let findingOut: Promise<bigint> | undefined;

  const reached = (position: bigint): void => {
    if (position > end) end = position;
  };

  async function now(): Promise<bigint> {
    const head = reader.head();
    if (head > end) {
      await wal.synced();
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
