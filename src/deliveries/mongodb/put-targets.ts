import type { Collection } from 'mongodb';
import { insertNew } from '../../mongodb/insert-new.js';
import type { Target } from '../delivery-queue.js';
import type { TargetRow } from './collections.js';

/**
 * Writes where hooks are posted to, unless something later is there. `known` are those that have been read, nearly always
 * all of them and at their latest. Inserts first and updates after: where upserts of one document race, some servers lose one.
 */
export async function putTargets(
  targets: Collection<TargetRow>,
  given: readonly Target[],
  known: ReadonlyMap<string, TargetRow>,
): Promise<void> {
  const missing = given.filter(({ listenerId }) => !known.has(listenerId));
  const raced = await insertNew<TargetRow>(targets, missing.map(toRow));
  const later = given.filter(({ listenerId, position }) => position > (known.get(listenerId)?.position ?? position));
  const updates = [...later.map(toRow), ...raced].map(({ _id, closed, wakes, ...target }) => ({
    updateOne: { filter: { _id, position: { $lt: target.position } }, update: { $set: target } },
  }));
  if (updates.length > 0) await targets.bulkWrite(updates, { ordered: false });
}

const toRow = ({ listenerId, ...target }: Target): TargetRow => ({
  _id: listenerId,
  ...target,
  closed: false,
  wakes: 0,
});
