import { randomUUID } from 'node:crypto';
import type { Collection, UpdateFilter } from 'mongodb';
import { insertNew } from '../../../stores/mongodb/insert-new.js';
import type { QueuedListener } from '../../queue/delivery.js';
import type { ListenerRow } from '../collections.js';

/**
 * Writes listeners' URLs and settings, unless a later version is stored. `known` are the listeners as read before, nearly
 * always all of them and up to date. Resuming a listener resets its health. Insert, then update, instead of an upsert: some
 * servers lose one of two concurrent upserts.
 */
export async function putListeners(
  listeners: Collection<ListenerRow>,
  {
    given,
    known,
    now,
  }: {
    readonly given: readonly QueuedListener[];
    readonly known: ReadonlyMap<string, ListenerRow>;
    readonly now: number;
  },
): Promise<void> {
  const missing = given.filter(({ listenerId }) => !known.has(listenerId));
  const raced = new Set((await insertNew<ListenerRow>(listeners, missing.map(toRow))).map(({ _id }) => _id));
  const later = given.filter(
    ({ listenerId, position }) => raced.has(listenerId) || position > (known.get(listenerId)?.position ?? position),
  );
  if (later.length === 0) return;
  const sorted = later.toSorted((one, other) => (one.listenerId < other.listenerId ? -1 : 1)); // as `updateEach` does
  const updates = sorted.flatMap((listener) => {
    const filter = { _id: listener.listenerId, position: { $lt: listener.position } };
    const update = toUpdate(listener, new Date(now));
    const put = { updateOne: { filter, update } };
    if (listener.paused) return [put];
    return [{ updateOne: { filter: { ...filter, paused: true }, update: withHealthReset(update) } }, put];
  });
  await listeners.bulkWrite(updates, { ordered: true }); // of the two updates of a resumed listener, the first resumes it
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

function toUpdate(listener: QueuedListener, now: Date): UpdateFilter<ListenerRow> {
  const { _id, closed, hintVersion, ...fields } = toRow(listener);
  // A pause removes the hint before it holds deliveries: if it was interrupted in between, deliveries still wait.
  return listener.paused
    ? { $set: fields, $unset: { nextDue: '', dueSince: '' } }
    : { $set: fields, $min: { nextDue: now }, $inc: { hintVersion: 1 } };
}

const toRow = ({ listenerId, ...listener }: QueuedListener): ListenerRow => ({
  _id: listenerId,
  ...listener,
  closed: false,
  hintVersion: 0,
});
