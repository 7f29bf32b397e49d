import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GroupCommit, OnRollback } from '../../stores/sqlite/group-commit.js';
import type { WalSync } from '../../stores/sqlite/wal-sync.js';
import type { FanOutCheckpoint } from '../queue/leasing.js';
import { type LongChange, takeStep } from './long-change.js';
import type { WriteBehind } from './write-behind.js';

type LongChanges = {
  /** Begins a change, and resolves, once all of it is durable, with the number of deliveries that it has changed. */
  readonly make: (begin: () => LongChange) => Promise<number>;
  /** Makes what is left of a batch's changes, and keeps its checkpoint after them. `isSynced`: resolves once they are durable. */
  readonly complete: (
    left: readonly LongChange[],
    checkpoint: FanOutCheckpoint | undefined,
    isSynced: boolean,
  ) => Promise<void>;
};

/** Makes changes in steps, each in a transaction of its own, between which other calls run. */
export function longChanges(
  { call, callWithoutSync }: GroupCommit,
  log: Pick<WalSync, 'synced'>,
  writeBehind: Pick<WriteBehind, 'flush' | 'keepCheckpoint'>,
): LongChanges {
  /** `atEnd` runs in the transaction of the last step. Returns how many deliveries were changed. */
  async function takeSteps(
    changes: readonly LongChange[],
    atEnd: (onRollback: OnRollback) => void = () => undefined,
  ): Promise<number> {
    let changed = 0;
    for (let left = changes; left.length > 0; ) {
      await nextTurn();
      const step = await callWithoutSync((onRollback) => {
        const taken = takeStep(left, onRollback);
        if (taken.left.length === 0) atEnd(onRollback);
        return taken;
      });
      changed += step.changed;
      left = step.left;
    }
    return changed;
  }

  return {
    async make(begin) {
      const { changed, left } = await call((onRollback) => {
        writeBehind.flush(onRollback);
        return takeStep([begin()], onRollback);
      });
      if (left.length === 0) return changed;
      const rest = await takeSteps(left);
      await log.synced();
      return changed + rest;
    },
    async complete(left, checkpoint, isSynced) {
      if (left.length === 0) return;
      await takeSteps(left, (onRollback) => {
        if (checkpoint) writeBehind.keepCheckpoint(checkpoint, onRollback);
      });
      if (isSynced) await log.synced();
    },
  };
}
