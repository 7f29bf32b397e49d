import { randomUUID } from 'node:crypto';
import type { Collection, UpdateFilter } from 'mongodb';
import { insertNew } from '../../../stores/mongodb/insert-new.js';
import type { Target } from '../../queue/delivery.js';
import type { TargetRow } from '../collections.js';

/**
 * Writes where hooks are posted to, unless something later is there. `known` are those that have been read, nearly always
 * all of them and at their latest. A hook that is resumed begins anew: how it did before is forgotten. Inserts first and updates after: where upserts of one document race, some servers lose one.
 */
export async function putTargets(
  targets: Collection<TargetRow>,
  {
    given,
    known,
    now,
  }: {
    readonly given: readonly Target[];
    readonly known: ReadonlyMap<string, TargetRow>;
    readonly now: number;
  },
): Promise<void> {
  const missing = given.filter(({ listenerId }) => !known.has(listenerId));
  const raced = new Set((await insertNew<TargetRow>(targets, missing.map(toRow))).map(({ _id }) => _id));
  const later = given.filter(
    ({ listenerId, position }) => raced.has(listenerId) || position > (known.get(listenerId)?.position ?? position),
  );
  if (later.length === 0) return;
  const updates = later.flatMap((target) => {
    const filter = { _id: target.listenerId, position: { $lt: target.position } };
    const update = toUpdate(target, new Date(now));
    const put = { updateOne: { filter, update } };
    if (target.paused) return [put];
    return [{ updateOne: { filter: { ...filter, paused: true }, update: beginningAnew(update) } }, put];
  });
  await targets.bulkWrite(updates, { ordered: true }); // a hook that is resumed is so by the first of its two
}

/** What was known of a hook's health before it was paused holds no longer, and nobody writes what rests on it. */
const beginningAnew = (update: UpdateFilter<TargetRow>): UpdateFilter<TargetRow> => ({
  ...update,
  $set: { ...update.$set, mark: randomUUID() },
  $unset: { ...update.$unset, health: '' },
});

function toUpdate(target: Target, now: Date): UpdateFilter<TargetRow> {
  const { _id, closed, wakes, ...fields } = toRow(target);
  const gone = {
    ...(target.previousSecret === undefined && { previousSecret: '' as const }),
    ...(target.ratePerSecond === undefined && { ratePerSecond: '' as const }),
    ...(target.paused && { nextDue: '' as const, dueSince: '' as const }),
  };
  return {
    $set: fields,
    ...(Object.keys(gone).length > 0 && { $unset: gone }),
    // A pause takes the hint away before it holds what waits: where it got no further than that, something still waits.
    ...(!target.paused && { $min: { nextDue: now }, $inc: { wakes: 1 } }),
  };
}

const toRow = ({ listenerId, ...target }: Target): TargetRow => ({
  _id: listenerId,
  ...target,
  closed: false,
  wakes: 0,
});
