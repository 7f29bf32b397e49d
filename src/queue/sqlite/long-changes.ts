import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GroupCommit, OnRollback } from '../../stores/sqlite/group-commit.js';
import type { WalSync } from '../../stores/sqlite/wal-sync.js';
import type { FanOutCheckpoint } from '../fan-out-batch.js';

/** One statement takes one to two milliseconds. */
const rowsPerStatement = 250;
/** Limit with which a step, its last statement and its commit block other calls for less than 20 ms. */
const stepMs = 8;

/**
 * One part of a change of any number of deliveries: at most `limit`. The rest must not be leased, and must be found
 * when the change begins again: after a crash the repeated call completes it.
 */
export type LongChange = (limit: number, onRollback: OnRollback) => ChangedPart;

type ChangedPart = { changed: number; isDone: boolean };

type Step = { changed: number; left: readonly LongChange[] };

/** Returns the changes that are not done when the time of a step is over. */
export type TakeStep = (changes: readonly LongChange[], onRollback: OnRollback) => Step;

export const takesSteps =
  (monotonicNow: () => number): TakeStep =>
  (changes, onRollback) => {
    const deadline = monotonicNow() + stepMs;
    let changed = 0;
    let left = changes;
    for (let [first] = left; first && monotonicNow() < deadline; [first] = left) {
      const part = first(rowsPerStatement, onRollback);
      changed += part.changed;
      if (part.isDone) left = left.slice(1);
    }
    return { changed, left };
  };

type LongChanges = {
  /** Resolves with the number of deliveries changed, once all is durable. */
  make: (begin: () => LongChange) => Promise<number>;
  /** Completes a batch's changes, and moves its checkpoints after them. `isSynced`: resolves once they are durable. */
  complete: (left: readonly LongChange[], checkpoints: readonly FanOutCheckpoint[], isSynced: boolean) => Promise<void>;
};

/** Runs changes in steps, each its own transaction, between which other calls run. */
export function longChanges(
  { call, callWithoutSync }: GroupCommit,
  log: Pick<WalSync, 'synced'>,
  moveCheckpoint: (checkpoint: FanOutCheckpoint) => void,
  takeStep: TakeStep,
): LongChanges {
  /** `atEnd` runs in the transaction of the last step. */
  async function takeSteps(changes: readonly LongChange[], atEnd: () => void = () => undefined): Promise<number> {
    let changed = 0;
    for (let left = changes; left.length > 0; ) {
      await nextTurn();
      const step = await callWithoutSync((onRollback) => {
        const taken = takeStep(left, onRollback);
        if (taken.left.length === 0) atEnd();
        return taken;
      });
      changed += step.changed;
      left = step.left;
    }
    return changed;
  }

  return {
    async make(begin) {
      const { changed, left } = await call((onRollback) => takeStep([begin()], onRollback));
      if (left.length === 0) return changed;
      const rest = await takeSteps(left);
      await log.synced();
      return changed + rest;
    },
    async complete(left, checkpoints, isSynced) {
      if (left.length === 0) return;
      await takeSteps(left, () => checkpoints.forEach(moveCheckpoint));
      if (isSynced) await log.synced();
    },
  };
}
