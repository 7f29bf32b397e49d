import type { Collection } from 'mongodb';
import type { Target } from '../delivery-queue.js';
import type { TargetRow } from './collections.js';
import { insertNew } from './insert-new.js';

/**
 * Writes where hooks are posted to, unless something later is there. `known` are those that have been read: in the long
 * run all of them, at their latest. Never by an upsert, of which some servers make two documents' worth when they race.
 */
export async function putTargets(
  targets: Collection<TargetRow>,
  given: readonly Target[],
  known: ReadonlyMap<string, TargetRow>,
): Promise<void> {
  const missing = given.filter(({ listenerId }) => !known.has(listenerId));
  const added = await insertNew<TargetRow>(
    targets,
    missing.map(({ listenerId, ...target }) => ({ _id: listenerId, ...target, closed: false, wakes: 0 })),
  );
  const raced = added < missing.length ? missing : [];
  const later = given.filter(({ listenerId, position }) => position > (known.get(listenerId)?.position ?? position));
  const updates = [...later, ...raced].map(({ listenerId, ...target }) => ({
    updateOne: { filter: { _id: listenerId, position: { $lt: target.position } }, update: { $set: target } },
  }));
  if (updates.length > 0) await targets.bulkWrite(updates, { ordered: false });
}
