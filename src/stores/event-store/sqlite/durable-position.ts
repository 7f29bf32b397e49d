import type { SyncedWal } from '../../sqlite/wal-sync.js';

export type DurablePosition = ReturnType<typeof durablePosition>;

/**
 * The position up to which the log is synced. A power loss may undo later commits and give their positions to other
 * events: no checkpoint stored elsewhere may pass it.
 */
export function durablePosition(reader: { head: () => bigint }, wal: SyncedWal) {
  let end = -1n;
  let doubted = true;
  let findingOut: Promise<bigint> | undefined;

  const reached = (position: bigint): void => {
    if (position > end) end = position;
  };

  /** Includes everything that any connection has appended by now. */
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
    /** The known position; determined first where other connections may have appended. */
    async position(): Promise<bigint> {
      if (doubted) findingOut ??= findOut();
      return findingOut ?? end;
    },
    now,
    async passed(position: bigint): Promise<void> {
      if (position > end) await now();
    },
    reached,
    /** Other connections may have appended. */
    doubt(): void {
      doubted = true;
    },
  };
}
