import type { OnRollback } from '../../stores/sqlite/group-commit.js';

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
