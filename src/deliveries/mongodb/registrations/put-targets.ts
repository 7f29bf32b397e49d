import { randomUUID } from 'node:crypto';
import type { Collection, UpdateFilter } from 'mongodb';
import { insertNew } from '../../../stores/mongodb/insert-new.js';
import type { QueuedHook } from '../../queue/delivery.js';
import type { TargetRow } from '../collections.js';

/**
 * Writes hooks' URLs and settings, unless a later version is stored. `known` are the hooks as read before, nearly
 * always all of them and up to date. Resuming a hook resets its health. Insert, then update, instead of an upsert: some
 * servers lose one of two concurrent upserts.
 */
export async function putTargets(
  targets: Collection<TargetRow>,
  {
    given,
    known,
    now,
  }: {
    readonly given: readonly QueuedHook[];
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
    return [{ updateOne: { filter: { ...filter, paused: true }, update: withHealthReset(update) } }, put];
  });
  await targets.bulkWrite(updates, { ordered: true }); // of the two updates of a resumed hook, the first resumes it
}

/**
 * Resets the health of a resumed hook, with a new version, so that compare and set rejects changes based on the old
 * one.
 */
const withHealthReset = (update: UpdateFilter<TargetRow>): UpdateFilter<TargetRow> => ({
  ...update,
  $set: { ...update.$set, mark: randomUUID() },
  $unset: { ...update.$unset, health: '' },
});

function toUpdate(target: QueuedHook, now: Date): UpdateFilter<TargetRow> {
  const { _id, closed, wakes, ...fields } = toRow(target);
  const gone = {
    ...(target.previousSecret === undefined && { previousSecret: '' as const }),
    ...(target.ratePerSecond === undefined && { ratePerSecond: '' as const }),
    ...(target.paused && { nextDue: '' as const, dueSince: '' as const }),
  };
  return {
    $set: fields,
    ...(Object.keys(gone).length > 0 && { $unset: gone }),
    // A pause removes the hint before it holds deliveries: if it was interrupted in between, deliveries still wait.
    ...(!target.paused && { $min: { nextDue: now }, $inc: { wakes: 1 } }),
  };
}

const toRow = ({ listenerId, ...target }: QueuedHook): TargetRow => ({
  _id: listenerId,
  ...target,
  closed: false,
  wakes: 0,
});
