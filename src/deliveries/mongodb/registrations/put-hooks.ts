import { randomUUID } from 'node:crypto';
import type { Collection, UpdateFilter } from 'mongodb';
import { insertNew } from '../../../stores/mongodb/insert-new.js';
import type { QueuedHook } from '../../queue/delivery.js';
import type { HookRow } from '../collections.js';

/**
 * Writes hooks' URLs and settings, unless a later version is stored. `known` are the hooks as read before, nearly
 * always all of them and up to date. Resuming a hook resets its health. Insert, then update, instead of an upsert: some
 * servers lose one of two concurrent upserts.
 */
export async function putHooks(
  hooks: Collection<HookRow>,
  {
    given,
    known,
    now,
  }: {
    readonly given: readonly QueuedHook[];
    readonly known: ReadonlyMap<string, HookRow>;
    readonly now: number;
  },
): Promise<void> {
  const missing = given.filter(({ listenerId }) => !known.has(listenerId));
  const raced = new Set((await insertNew<HookRow>(hooks, missing.map(toRow))).map(({ _id }) => _id));
  const later = given.filter(
    ({ listenerId, position }) => raced.has(listenerId) || position > (known.get(listenerId)?.position ?? position),
  );
  if (later.length === 0) return;
  const updates = later.flatMap((hook) => {
    const filter = { _id: hook.listenerId, position: { $lt: hook.position } };
    const update = toUpdate(hook, new Date(now));
    const put = { updateOne: { filter, update } };
    if (hook.paused) return [put];
    return [{ updateOne: { filter: { ...filter, paused: true }, update: withHealthReset(update) } }, put];
  });
  await hooks.bulkWrite(updates, { ordered: true }); // of the two updates of a resumed hook, the first resumes it
}

/**
 * Resets the health of a resumed hook, with a new version, so that compare and set rejects changes based on the old
 * one.
 */
const withHealthReset = (update: UpdateFilter<HookRow>): UpdateFilter<HookRow> => ({
  ...update,
  $set: { ...update.$set, version: randomUUID() },
  $unset: { ...update.$unset, health: '' },
});

function toUpdate(hook: QueuedHook, now: Date): UpdateFilter<HookRow> {
  const { _id, closed, hintVersion, ...fields } = toRow(hook);
  const gone = {
    ...(hook.previousSecret === undefined && { previousSecret: '' as const }),
    ...(hook.transform === undefined && { transform: '' as const }),
    ...(hook.ratePerSecond === undefined && { ratePerSecond: '' as const }),
    ...(hook.paused && { nextDue: '' as const, dueSince: '' as const }),
  };
  return {
    $set: fields,
    ...(Object.keys(gone).length > 0 && { $unset: gone }),
    // A pause removes the hint before it holds deliveries: if it was interrupted in between, deliveries still wait.
    ...(!hook.paused && { $min: { nextDue: now }, $inc: { hintVersion: 1 } }),
  };
}

const toRow = ({ listenerId, ...hook }: QueuedHook): HookRow => ({
  _id: listenerId,
  ...hook,
  closed: false,
  hintVersion: 0,
});
