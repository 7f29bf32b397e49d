import { randomInt } from 'node:crypto';
import { insertNew, updateEach } from '../../../stores/mongodb/bulk-writes.js';
import type { Collections, ListenerRow } from '../collections.js';
import type { Withdraw } from './withdraw.js';

/** Instances choose one at random, so that two hardly ever write the same; ended instances leave no others behind. */
const maxDocuments = 1_000;

/** A proof serves calls that begin within this time, which is less than a permit lasts. */
const shareMs = 100;

/**
 * Writes one document with majority acknowledgement. The server was therefore the primary after the call began, and
 * later reads, from it or from its successor, contain everything that a majority had acknowledged before the call.
 * Rejects on a deposed primary that has not noticed the election: decision 5.
 *
 * Resolves with the moment of the call that wrote, in milliseconds of `performance.now()`: this one, or if `shared` one shortly before. What
 * is read later as open was open at that moment.
 */
export type ProvePrimary = (options?: { shared: boolean }) => Promise<number>;

function openProvePrimary({ primary }: Pick<Collections, 'primary'>): ProvePrimary {
  const _id = `${randomInt(maxDocuments)}`;
  let latest = { beganAt: Number.NEGATIVE_INFINITY, proof: Promise.resolve(0) };

  /** Update, then insert, instead of an upsert: some servers lose one of two concurrent upserts. */
  async function prove(beganAt: number): Promise<number> {
    for (;;) {
      const { matchedCount } = await primary.updateOne({ _id }, { $inc: { times: 1n } });
      if (matchedCount === 1) return beganAt;
      if ((await insertNew(primary, [{ _id, times: 0n }])).length === 0) return beganAt;
    }
  }

  return ({ shared } = { shared: false }) => {
    const now = performance.now();
    if (shared && now - latest.beganAt <= shareMs) return latest.proof;
    const proof = prove(now);
    latest = { beganAt: now, proof };
    proof.catch(() => {
      if (latest.proof === proof) latest = { ...latest, beganAt: Number.NEGATIVE_INFINITY };
    });
    return proof;
  };
}

export type StoredGates = ReturnType<typeof openStoredGates>;

const closingUpdate = { $set: { closed: true }, $unset: { nextDue: '', dueSince: '', health: '' } } as const;

/** The gates and pauses of listeners, as stored. */
export function openStoredGates(
  { listeners, primary }: Pick<Collections, 'listeners' | 'primary'>,
  withdraw: Withdraw,
) {
  const provePrimary = openProvePrimary({ primary });

  /** Closes gates permanently and cancels their waiting and held deliveries. Returns the number of deliveries cancelled. */
  async function close(listenerIds: readonly string[]): Promise<number> {
    if (listenerIds.length === 0) return 0;
    const writeClosed = () =>
      updateEach(
        listeners,
        listenerIds.map((_id) => ({ filter: { _id }, update: closingUpdate })),
      );
    const { matchedCount } = await writeClosed();
    if (matchedCount < listenerIds.length) {
      await insertNew<ListenerRow>(
        listeners,
        listenerIds.toSorted().map((_id) => ({ _id, position: -1n, closed: true, hintVersion: 0 })),
      );
      await writeClosed(); // listeners that were inserted in between
    }
    return cancelBehind(listenerIds);
  }

  async function cancelBehind(listenerIds: readonly string[]): Promise<number> {
    const of = { listenerId: { $in: listenerIds } };
    return (
      (await withdraw({ from: 'waiting', to: 'cancelled', of })) +
      (await withdraw({ from: 'held', to: 'cancelled', of }))
    );
  }

  async function findOpen(
    listenerIds: readonly string[],
  ): Promise<readonly Pick<ListenerRow, '_id' | 'position' | 'paused'>[]> {
    return listeners
      .find({ _id: { $in: listenerIds }, closed: false })
      .project<Pick<ListenerRow, '_id' | 'position' | 'paused'>>({ position: 1, paused: 1 })
      .toArray();
  }

  /**
   * Only deliveries of flow events before the pause: it may have ended meanwhile, and later deliveries must not be
   * held.
   */
  const holdBehind = ({ _id, position }: Pick<ListenerRow, '_id' | 'position'>) =>
    withdraw({ from: 'waiting', to: 'held', of: { listenerId: _id, position: { $lte: position } } });

  return {
    close,
    provePrimary,
    /**
     * Returns the listeners whose gates are not known to be open; a missing gate counts as closed. The others were open at a
     * moment after the call began, even if another primary was elected meanwhile.
     */
    async notOpen(listenerIds: readonly string[]): Promise<ReadonlySet<string>> {
      await provePrimary(); // a deposed primary would show gates as open that its successor has closed
      const open = new Set((await findOpen(listenerIds)).map(({ _id }) => _id));
      return new Set(listenerIds.filter((listenerId) => !open.has(listenerId)));
    },
    /**
     * Cancels deliveries added while their gate closed, and holds waiting deliveries of paused listeners. Repeatable. A missing gate
     * counts as closed: the database was lost, and with it what has ended since.
     */
    async withdrawBehind(listenerIds: readonly string[]): Promise<void> {
      if (listenerIds.length === 0) return;
      const open = await findOpen(listenerIds);
      const openIds = new Set(open.map(({ _id }) => _id));
      const closed = listenerIds.filter((listenerId) => !openIds.has(listenerId));
      if (closed.length > 0) await cancelBehind(closed);
      const paused = open.filter((listener) => listener.paused);
      for (const listener of paused) await holdBehind(listener);
    },
  };
}
