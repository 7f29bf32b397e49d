import { randomUUID } from 'node:crypto';
import type { Collection, UpdateFilter } from 'mongodb';
import { byId, insertNew, updateEach } from '../../../stores/mongodb/bulk-writes.js';
import type { PutListener } from '../../delivery.js';
import { partitionOf } from '../../policy/partition.js';
import type { ListenerRow } from '../collections.js';

/**
 * Writes listeners' URLs and settings, unless a later version is stored. `known` are the listeners as read before, nearly
 * always all of them and up to date. Resuming a listener resets its health. Insert, then update, instead of an upsert: some
 * servers lose one of two concurrent upserts. Returns the IDs of listeners that are not as `known`, and those of them that had a row.
 */
export async function putListeners(
  listeners: Collection<ListenerRow>,
  {
    given,
    known,
    now,
    partitions,
  }: {
    given: readonly PutListener[];
    known: ReadonlyMap<string, ListenerRow>;
    now: number;
    partitions: number | undefined;
  },
): Promise<{ changed: ReadonlySet<string>; later: readonly PutListener[] }> {
  const missing = given.filter(({ listenerId }) => !known.has(listenerId));
  const raced = new Set(
    (await insertNew<ListenerRow>(listeners, missing.map((each) => toRow(each, partitions)).sort(byId))).map(
      ({ _id }) => _id,
    ),
  );
  const later = given.filter(
    ({ listenerId, position }) => raced.has(listenerId) || position > (known.get(listenerId)?.position ?? position),
  );
  const changed = new Set([...missing, ...later].map(({ listenerId }) => listenerId));
  await putPartitions(listeners, { known, partitions });
  if (later.length === 0) return { changed, later };
  const sorted = later.toSorted((one, other) => (one.listenerId < other.listenerId ? -1 : 1)); // as `updateEach` does
  const updates = sorted.flatMap((listener) => {
    const filter = { _id: listener.listenerId, position: { $lt: listener.position } };
    const update = toUpdate(listener, new Date(now), partitions);
    const put = { updateOne: { filter, update } };
    if (listener.paused) return [put];
    const resumed = listener.isHealthReset ? filter : { ...filter, paused: true };
    return [{ updateOne: { filter: resumed, update: withHealthReset(update) } }, put];
  });
  await listeners.bulkWrite(updates, { ordered: true }); // of the two updates of a resumed listener, the first resumes it
  return { changed, later };
}

/** Sets the partitions of listeners that an instance wrote which did not know their number, such as a command. */
async function putPartitions(
  listeners: Collection<ListenerRow>,
  { known, partitions }: { known: ReadonlyMap<string, ListenerRow>; partitions: number | undefined },
): Promise<void> {
  if (partitions === undefined) return;
  const updates = [...known.values()].flatMap(({ _id, orgId, partition }) =>
    orgId === undefined || partition !== undefined
      ? []
      : [{ filter: { _id, orgId }, update: { $set: { partition: partitionOf(orgId, partitions) } } }],
  );
  if (updates.length > 0) await updateEach(listeners, updates);
}

/**
 * Resets the health of a resumed listener, with a new version, so that compare and set rejects changes based on the old
 * one.
 */
const withHealthReset = (update: UpdateFilter<ListenerRow>): UpdateFilter<ListenerRow> => ({
  ...update,
  $set: { ...update.$set, version: randomUUID() },
  $unset: { ...update.$unset, health: '' },
});

function toUpdate(listener: PutListener, now: Date, partitions: number | undefined): UpdateFilter<ListenerRow> {
  const { _id, closed, hintVersion, ...fields } = toRow(listener, partitions);
  // A pause removes the bound before it holds deliveries: if it was interrupted in between, deliveries still wait.
  return listener.paused
    ? { $set: fields, $unset: { nextDue: '', dueSince: '' } }
    : { $set: fields, $min: { nextDue: now }, $inc: { hintVersion: 1 } };
}

const toRow = (
  { listenerId, isHealthReset: _, ...listener }: PutListener,
  partitions: number | undefined,
): ListenerRow => ({
  _id: listenerId,
  ...listener,
  partition: partitions === undefined ? undefined : partitionOf(listener.orgId, partitions),
  closed: false,
  hintVersion: 0,
});
