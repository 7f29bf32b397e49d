import { randomUUID } from 'node:crypto';
import { insertNew, updateEach } from '../../../stores/mongodb/bulk-writes.js';
import type { Collections, PrimaryRow } from '../collections.js';
import type { CalmListeners } from '../lease/calm-listeners.js';

/** A proof serves calls that begin within this time, which is less than a permit lasts. */
const shareMs = 100;
/** Maximum number of listeners that a record names: an instance that finds more of them new forgets all listeners. */
const named = 64;
/** Age of a record, in server time, after which its process is taken for ended; one that goes on writes another. */
const recordMs = 86_400_000;

/**
 * Writes the record of this process with majority acknowledgement. The server was therefore the primary after the call began, and
 * later reads, from it or from its successor, contain everything that a majority had acknowledged before the call.
 * Rejects on a deposed primary that has not noticed the election: decision 5. The answer names the listeners
 * that were invalidated, which are forgotten.
 *
 * Resolves with the moment of the call that wrote, in milliseconds of `performance.now()`: this one, or if `shared` one shortly before. What
 * is read later as open was open at that moment, and so was a listener that is remembered.
 */
type ProvePrimary = (options?: { shared: boolean }) => Promise<number>;

export type Invalidations = ReturnType<typeof openInvalidations>;

/** Tells all processes that remember listeners which of them have changed, in the record of each process. */
export function openInvalidations(
  { primary: records }: Pick<Collections, 'primary'>,
  calm: Pick<CalmListeners, 'forget' | 'forgetAll'>,
) {
  const _id = randomUUID();
  let seen = 0;
  let latest = { beganAt: Number.NEGATIVE_INFINITY, proof: Promise.resolve(0) };

  /** Forgets all if the record names too few of them, as after the restoration of the database, or comes out of order. */
  function forgetInvalidated({ invalidated, listenerIds }: Pick<PrimaryRow, 'invalidated' | 'listenerIds'>): void {
    const added = invalidated - seen;
    seen = invalidated;
    if (added < 0 || added > listenerIds.length) calm.forgetAll();
    else for (const listenerId of listenerIds.slice(listenerIds.length - added)) calm.forget(listenerId);
  }

  async function begin(): Promise<void> {
    calm.forgetAll();
    seen = 0;
    await insertNew(records, [{ _id, times: 0n, invalidated: 0, listenerIds: [], at: new Date() }]);
    const isOld = { $or: [{ at: { $lt: new Date(Date.now() - recordMs) } }, { at: { $exists: false } }] };
    await records.deleteMany(isOld);
  }

  async function prove(beganAt: number): Promise<number> {
    for (;;) {
      const update = { $inc: { times: 1n }, $currentDate: { at: true } } as const;
      const record = await records.findOneAndUpdate({ _id }, update, {
        projection: { invalidated: 1, listenerIds: 1 },
      });
      if (!record) await begin();
      else {
        forgetInvalidated(record);
        return beganAt;
      }
    }
  }

  const provePrimary: ProvePrimary = ({ shared } = { shared: false }) => {
    const now = performance.now();
    if (shared && now - latest.beganAt <= shareMs) return latest.proof;
    const proof = prove(now);
    latest = { beganAt: now, proof };
    proof.catch(() => {
      if (latest.proof === proof) latest = { ...latest, beganAt: Number.NEGATIVE_INFINITY };
    });
    return proof;
  };

  return {
    provePrimary,
    /** Has all processes forget these listeners, before a proof that begins after the call. Repeatable. */
    async invalidate(listenerIds: Iterable<string>): Promise<void> {
      const ids = [...new Set(listenerIds)];
      if (ids.length === 0) return;
      for (const listenerId of ids) calm.forget(listenerId);
      const $push = { listenerIds: { $each: ids, $slice: -named } };
      const found = await records.find({}, { projection: { _id: 1 } }).toArray(); // one that comes later has read nothing yet
      if (found.length === 0) return;
      const update = { $inc: { invalidated: ids.length }, $push };
      await updateEach(
        records,
        found.map(({ _id }) => ({ filter: { _id }, update })),
      );
    },
  };
}
