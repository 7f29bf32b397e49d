import { randomUUID } from 'node:crypto';
import type { MatchKeysAndValues, OnlyFieldsOfType, UpdateFilter } from 'mongodb';
import type { Collections, TargetRow } from '../collections.js';

/** A change of a hook's health or lock, valid only for the version (`mark`) that was read. */
export type HookChange = {
  readonly hook: Pick<TargetRow, '_id' | 'mark'>;
  readonly set?: Pick<TargetRow, 'health' | 'turn'>;
  readonly unset?: readonly ('health' | 'turn')[];
  /** Moves the due hint to this time. The gate was open when the hook was read. */
  readonly wakeAt?: Date;
};

/**
 * Writes the changes of hooks, at most one for each, whose versions are still those that were read. Returns the IDs of
 * the hooks written; the others have to be read again.
 */
export async function compareAndSetHooks(
  { targets }: Pick<Collections, 'targets'>,
  changes: readonly HookChange[],
): Promise<ReadonlySet<string>> {
  if (changes.length === 0) return new Set();
  const version = randomUUID();
  const { matchedCount } = await targets.bulkWrite(
    changes.map((change) => ({ updateOne: { filter: filterOf(change), update: updateOf(change, version) } })),
    { ordered: false },
  );
  const ids = changes.map(({ hook }) => hook._id);
  if (matchedCount === changes.length) return new Set(ids);
  const written = targets.find({ _id: { $in: ids }, mark: version }).project<{ _id: string }>({ _id: 1 });
  return new Set((await written.toArray()).map(({ _id }) => _id));
}

const filterOf = ({ hook: { _id, mark }, wakeAt }: HookChange) => ({
  _id,
  mark: mark ?? { $exists: false },
  ...(wakeAt && { closed: false }), // closing a gate removes the hint; one written afterwards would stay
});

function updateOf({ set, unset = [], wakeAt }: HookChange, version: string): UpdateFilter<TargetRow> {
  return {
    $set: { ...set, mark: version } as MatchKeysAndValues<TargetRow>, // undefined fields are omitted
    ...(unset.length > 0 && {
      $unset: Object.fromEntries(unset.map((field) => [field, ''])) as OnlyFieldsOfType<TargetRow, unknown, ''>,
    }),
    ...(wakeAt && { $min: { nextDue: wakeAt }, $inc: { wakes: 1 } }),
  };
}
