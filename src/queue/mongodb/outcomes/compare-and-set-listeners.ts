import { randomUUID } from 'node:crypto';
import type { MatchKeysAndValues, UpdateFilter } from 'mongodb';
import { updateEach } from '../../../stores/mongodb/bulk-writes.js';
import type { Collections, ListenerRow } from '../collections.js';

/** A change of a listener's health, valid only for the version that was read. */
export type RowChange = {
  listener: Pick<ListenerRow, '_id' | 'version'>;
  set: Pick<ListenerRow, 'health'>;
  /** Moves the due bound to this time. The gate was open when the listener was read. */
  wakeAt?: Date;
};

/**
 * Writes the changes of listeners, at most one for each, whose versions are still those that were read. Returns the IDs of
 * the listeners written; the others have to be read again.
 */
export async function compareAndSetListeners(
  { listeners }: Pick<Collections, 'listeners'>,
  changes: readonly RowChange[],
): Promise<ReadonlySet<string>> {
  if (changes.length === 0) return new Set();
  const version = randomUUID();
  const { matchedCount } = await updateEach(
    listeners,
    changes.map((change) => ({ filter: filterOf(change), update: updateOf(change, version) })),
  );
  const ids = changes.map(({ listener }) => listener._id);
  if (matchedCount === changes.length) return new Set(ids);
  const written = listeners.find({ _id: { $in: ids }, version }).project<{ _id: string }>({ _id: 1 });
  return new Set((await written.toArray()).map(({ _id }) => _id));
}

const filterOf = ({ listener: { _id, version: read }, wakeAt }: RowChange) => ({
  _id,
  version: read ?? { $exists: false },
  closed: wakeAt && false, // closing a gate removes the bound; one written afterwards would stay
});

function updateOf({ set, wakeAt }: RowChange, version: string): UpdateFilter<ListenerRow> {
  return {
    $set: { ...set, version } as MatchKeysAndValues<ListenerRow>, // undefined fields are omitted
    ...(wakeAt && { $min: { nextDue: wakeAt }, $inc: { hintVersion: 1 } }),
  };
}
