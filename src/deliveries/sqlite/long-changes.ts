import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GroupCommit, OnRollback } from '../../stores/sqlite/group-commit.js';
import type { WalSync } from '../../stores/sqlite/wal-sync.js';
import type { FanOutCheckpoint } from '../queue/leasing.js';

/** Number of deliveries that one statement changes: it takes one to two milliseconds. */
const rowsPerStatement = 250;
/** Time after which a step ends: with its last statement and its commit it blocks other calls for less than 20 ms. */
const stepMs = 8;

/**
 * A change of any number of deliveries, such as holding all of a listener, in parts; within a transaction that the caller has begun.
 * Changes at most `limit` of them. What it has left must not be leased, and must be found when the change is begun again: a
 * process that dies between two parts leaves the rest to the repetition of the call.
 */
export type LongChange = (limit: number, onRollback: OnRollback) => ChangedPart;

type ChangedPart = { readonly changed: number; readonly isDone: boolean };

type Step = { readonly changed: number; readonly left: readonly LongChange[] };

/** Makes changes, one after the other, until the time of a step is over. Returns those that are not done. */
export function takeStep(changes: readonly LongChange[], onRollback: OnRollback): Step {
  const deadline = performance.now() + stepMs;
  let changed = 0;
  let left = changes;
  for (let [first] = left; first && performance.now() < deadline; [first] = left) {
    const part = first(rowsPerStatement, onRollback);
    changed += part.changed;
    if (part.isDone) left = left.slice(1);
  }
  return { changed, left };
}

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

/** The buffer, which is written before a change, and the checkpoint after it. */
type Buffered = {
  readonly flush: (onRollback: OnRollback) => void;
  readonly keepCheckpoint: (checkpoint: FanOutCheckpoint, onRollback: OnRollback) => void;
};

/** Makes changes in steps, each in its own transaction, between which other calls run. */
export function longChanges(
  { call, callWithoutSync }: GroupCommit,
  log: Pick<WalSync, 'synced'>,
  writeBehind: Buffered,
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
