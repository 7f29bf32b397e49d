import type { Collection, UpdateFilter } from 'mongodb';
import { insertNew } from '../../mongodb/insert-new.js';
import type { Target } from '../delivery.js';
import type { TargetRow } from './collections.js';

/**
 * Writes where hooks are posted to, unless something later is there. `known` are those that have been read, nearly always
 * all of them and at their latest. Inserts first and updates after: where upserts of one document race, some servers lose one.
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
  const updates = later.map((target) => ({
    updateOne: {
      filter: { _id: target.listenerId, position: { $lt: target.position } },
      update: toUpdate(target, new Date(now)),
    },
  }));
  await targets.bulkWrite(updates, { ordered: false });
}

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
