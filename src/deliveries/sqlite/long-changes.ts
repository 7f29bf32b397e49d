import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GroupCommit, OnRollback } from './group-commit.js';

/** Number of deliveries that one statement changes: it takes one to two milliseconds. */
const rowsPerStatement = 250;
/** Time after which a step ends: with its last statement and its commit it blocks other calls for less than 20 ms. */
const stepMs = 8;

/**
 * A change of any number of deliveries, such as holding all of a hook, in parts; within a transaction that the caller has begun.
 * Changes at most `limit` of them. What it has left must not be leased, and must be found when the change is begun again: a
 * process that dies between two parts leaves the rest to the repetition of the call.
 */
export type LongChange = (limit: number, onRollback: OnRollback) => ChangedPart;

export type ChangedPart = { readonly changed: number; readonly isDone: boolean };

export type Step = { readonly changed: number; readonly left: readonly LongChange[] };

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

/**
 * Makes the rest of changes, each step in a transaction of its own, between which other calls run. `atEnd` runs in the
 * transaction of the last step. Returns how many deliveries they changed.
 */
export async function takeSteps(
  { callWithoutSync }: Pick<GroupCommit, 'callWithoutSync'>,
  changes: readonly LongChange[],
  atEnd?: (onRollback: OnRollback) => void,
): Promise<number> {
  let changed = 0;
  for (let left = changes; left.length > 0; ) {
    await nextTurn();
    const step = await callWithoutSync((onRollback) => {
      const taken = takeStep(left, onRollback);
      if (taken.left.length === 0) atEnd?.(onRollback);
      return taken;
    });
    changed += step.changed;
    left = step.left;
  }
  return changed;
}
