import { randomUUID } from 'node:crypto';
import { insertNew, updateEach } from '../../../stores/mongodb/bulk-writes.js';
import type { Collections, PrimaryRow } from '../collections.js';
import type { CalmListeners } from '../lease/calm-listeners.js';

/** A proof serves calls that begin within this time, which is less than a permit lasts. */
const shareMs = 100;
/** Maximum number of listeners that a record names: an instance that finds more of them new forgets all listeners. */
const named = 64;
/** Age of a record, in server time, after which its process is taken for ended; one that continues writes another. */
const recordMs = 86_400_000;
/** Time after which all listeners are read again. */
const rememberMs = 60_000;

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
  /** Infinite until the record has answered: what was read before it existed is then forgotten. */
  let seen = Number.POSITIVE_INFINITY;
  let forgottenAt = performance.now();
  /** Listeners of which the others have not been told, since a write failed. */
  const untold = new Set<string>();
  let latest = { beganAt: Number.NEGATIVE_INFINITY, proof: Promise.resolve(0) };

  /** Forgets all if the record names too few of them, as after the restoration of the database, or comes out of order. */
  function forgetInvalidated({ invalidated, listenerIds }: Pick<PrimaryRow, 'invalidated' | 'listenerIds'>): void {
    const added = invalidated - seen;
    seen = invalidated;
    if (added < 0 || added > listenerIds.length) calm.forgetAll();
    else for (const listenerId of listenerIds.slice(listenerIds.length - added)) calm.forget(listenerId);
  }

  /** Bounds the time for which a listener stays as it was read, if the process that changed it ended before it told the others. */
  function forgetOld(now: number): void {
    calm.forgetAll();
    forgottenAt = now;
  }

  async function tell(): Promise<void> {
    const ids = [...untold];
    const found = await records.find({}, { projection: { _id: 1 } }).toArray(); // a later one forgets all with its first answer
    const $push = { listenerIds: { $each: ids.slice(-named), $slice: -named } };
    const update = { $inc: { invalidated: ids.length }, $push };
    const updates = found.map(({ _id }) => ({ filter: { _id }, update }));
    if (updates.length > 0) await updateEach(records, updates);
    for (const listenerId of ids) untold.delete(listenerId);
  }

  async function begin(): Promise<void> {
    seen = Number.POSITIVE_INFINITY;
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
        if (beganAt - forgottenAt > rememberMs) forgetOld(beganAt);
        if (untold.size > 0) tell().catch(() => undefined); // with the next proof
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
    /** Has all processes forget these listeners, before a proof that begins after the call. Repeatable; a later call or proof completes one that failed. */
    async invalidate(listenerIds: Iterable<string>): Promise<void> {
      for (const listenerId of listenerIds) {
        calm.forget(listenerId);
        untold.add(listenerId);
      }
      if (untold.size > 0) await tell();
    },
    /** Removes the record of this process, as far as the database can be reached. */
    async end(): Promise<void> {
      await records.deleteOne({ _id }).catch(() => undefined);
    },
  };
}
