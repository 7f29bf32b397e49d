import { randomUUID } from 'node:crypto';
import type { MatchKeysAndValues, OnlyFieldsOfType, UpdateFilter } from 'mongodb';
import type { Collections, TargetRow } from '../collections.js';

/** A change of a hook's health or turn that rests on what it was when it was read. */
export type MarkedChange = {
  readonly hook: Pick<TargetRow, '_id' | 'mark'>;
  readonly set?: Pick<TargetRow, 'health' | 'turn'>;
  readonly unset?: readonly ('health' | 'turn')[];
  /** More of it may be leased from then on. Its gate was open when it was read. */
  readonly wakeAt?: Date;
};

/**
 * Makes those changes, of different hooks, whose hook's health and turn are still what they were. Returns of which hooks
 * it has: the others have to be read again.
 */
export async function putMarked(
  { targets }: Pick<Collections, 'targets'>,
  changes: readonly MarkedChange[],
): Promise<ReadonlySet<string>> {
  if (changes.length === 0) return new Set();
  const mark = randomUUID();
  const { matchedCount } = await targets.bulkWrite(
    changes.map((change) => ({ updateOne: { filter: filterOf(change), update: updateOf(change, mark) } })),
    { ordered: false },
  );
  const ids = changes.map(({ hook }) => hook._id);
  if (matchedCount === changes.length) return new Set(ids);
  const made = targets.find({ _id: { $in: ids }, mark }).project<{ _id: string }>({ _id: 1 });
  return new Set((await made.toArray()).map(({ _id }) => _id));
}

const filterOf = ({ hook: { _id, mark }, wakeAt }: MarkedChange) => ({
  _id,
  mark: mark ?? { $exists: false },
  ...(wakeAt && { closed: false }), // the hint of a gate that closes is taken away, and nobody would take this one away
});

function updateOf({ set, unset = [], wakeAt }: MarkedChange, mark: string): UpdateFilter<TargetRow> {
  return {
    $set: { ...set, mark } as MatchKeysAndValues<TargetRow>, // what is undefined in it is left out
    ...(unset.length > 0 && {
      $unset: Object.fromEntries(unset.map((field) => [field, ''])) as OnlyFieldsOfType<TargetRow, unknown, ''>,
    }),
    ...(wakeAt && { $min: { nextDue: wakeAt }, $inc: { wakes: 1 } }),
  };
}
