import { insertNew, updateEach } from '../../../stores/mongodb/bulk-writes.js';
import type { Collections, ListenerRow } from '../collections.js';
import type { Invalidations } from './invalidations.js';
import type { Withdraw } from './withdraw.js';

export type StoredGates = ReturnType<typeof openStoredGates>;

const closingUpdate = { $set: { closed: true }, $unset: { nextDue: '', dueSince: '', health: '' } } as const;

/** The gates and pauses of listeners, as stored. */
export function openStoredGates(
  { listeners }: Pick<Collections, 'listeners'>,
  { invalidate, provePrimary }: Invalidations,
  withdraw: Withdraw,
) {
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
    await invalidate(listenerIds);
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
