import { randomUUID } from 'node:crypto';
import type { MatchKeysAndValues, OnlyFieldsOfType, UpdateFilter } from 'mongodb';
import type { Collections, HookRow } from '../collections.js';

/** A change of a hook's health or lock, valid only for the version that was read. */
export type HookChange = {
  readonly hook: Pick<HookRow, '_id' | 'version'>;
  readonly set?: Pick<HookRow, 'health' | 'turn'>;
  readonly unset?: readonly ('health' | 'turn')[];
  /** Moves the due hint to this time. The gate was open when the hook was read. */
  readonly wakeAt?: Date;
};

/**
 * Writes the changes of hooks, at most one for each, whose versions are still those that were read. Returns the IDs of
 * the hooks written; the others have to be read again.
 */
export async function compareAndSetHooks(
  { hooks }: Pick<Collections, 'hooks'>,
  changes: readonly HookChange[],
): Promise<ReadonlySet<string>> {
  if (changes.length === 0) return new Set();
  const version = randomUUID();
  const { matchedCount } = await hooks.bulkWrite(
    changes.map((change) => ({ updateOne: { filter: filterOf(change), update: updateOf(change, version) } })),
    { ordered: false },
  );
  const ids = changes.map(({ hook }) => hook._id);
  if (matchedCount === changes.length) return new Set(ids);
  const written = hooks.find({ _id: { $in: ids }, version }).project<{ _id: string }>({ _id: 1 });
  return new Set((await written.toArray()).map(({ _id }) => _id));
}

const filterOf = ({ hook: { _id, version: read }, wakeAt }: HookChange) => ({
  _id,
  version: read ?? { $exists: false },
  ...(wakeAt && { closed: false }), // closing a gate removes the hint; one written afterwards would stay
});

function updateOf({ set, unset = [], wakeAt }: HookChange, version: string): UpdateFilter<HookRow> {
  return {
    $set: { ...set, version } as MatchKeysAndValues<HookRow>, // undefined fields are omitted
    ...(unset.length > 0 && {
      $unset: Object.fromEntries(unset.map((field) => [field, ''])) as OnlyFieldsOfType<HookRow, unknown, ''>,
    }),
    ...(wakeAt && { $min: { nextDue: wakeAt }, $inc: { hintVersion: 1 } }),
  };
}
