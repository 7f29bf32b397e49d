import { updateEach } from '../../../stores/mongodb/bulk-writes.js';
import type { Collections, DeliveryRow } from '../collections.js';
import type { StoredGates } from '../listeners/gates.js';
import type { CalmListeners } from './calm-listeners.js';
import type { RowsUnderWay } from './under-way.js';

/** Times by listener ID at which another delivery of the listener may be leased, in queue time. */
export type DueTimes = ReadonlyMap<string, number>;

/** The earliest due time of each listener. */
export function dueTimesOf(rows: Iterable<{ listenerId: string; dueAt: Date }>): DueTimes {
  const due = new Map<string, number>();
  for (const { listenerId, dueAt } of rows) {
    due.set(listenerId, Math.min(dueAt.getTime(), due.get(listenerId) ?? Number.POSITIVE_INFINITY));
  }
  return due;
}

/** A waiting delivery that is due earlier than its listener's due bound. */
type Unannounced = Required<Pick<DeliveryRow, '_id' | 'listenerId' | 'dueAt'>>;

export type AnnouncedDeliveries = {
  /**
   * Moves listeners' due bounds forward, after their deliveries were written. If the gate has closed meanwhile, or the listener is
   * paused, the deliveries are cancelled or held instead, since that step may have run before they were written.
   */
  wake: (due: DueTimes) => Promise<void>;
  /** Moves the due bounds forward for rows that are marked as `unannounced`. */
  announce: (rows: readonly Unannounced[]) => Promise<void>;
  /** Completes interrupted calls of `announce`, once a minute at most. */
  announceLeft: () => Promise<void>;
};

/** Maximum number of deliveries that one command announces, to bound its duration. */
const batchSize = 1_000;
const everyMs = 60_000;

export function openAnnouncedDeliveries(
  { listeners, deliveries }: Pick<Collections, 'listeners' | 'deliveries'>,
  {
    gates,
    underWay,
    calm,
  }: {
    gates: Pick<StoredGates, 'withdrawBehind'>;
    underWay: Pick<RowsUnderWay, 'lookAgain'>;
    calm: Pick<CalmListeners, 'forget' | 'hasWaiting'>;
  },
): AnnouncedDeliveries {
  let lookedAt = Number.NEGATIVE_INFINITY;

  async function wake(due: DueTimes): Promise<void> {
    if (due.size === 0) return;
    const updates = [...due].map(([_id, at]) => ({
      filter: { _id, closed: false, paused: { $ne: true } },
      update: { $min: { nextDue: new Date(at) }, $inc: { hintVersion: 1 } },
    }));
    const { matchedCount } = await updateEach(listeners, updates);
    underWay.lookAgain(due.keys());
    for (const listenerId of due.keys()) calm.hasWaiting(listenerId);
    if (matchedCount === due.size) return;
    for (const listenerId of due.keys()) calm.forget(listenerId);
    await gates.withdrawBehind([...due.keys()]);
  }

  async function announce(rows: readonly Unannounced[]): Promise<void> {
    if (rows.length === 0) return;
    await wake(dueTimesOf(rows));
    await deliveries.updateMany({ _id: { $in: rows.map(({ _id }) => _id).sort() } }, { $unset: { unannounced: '' } });
  }

  return {
    wake,
    announce,
    async announceLeft() {
      if (performance.now() - lookedAt < everyMs) return;
      for (let count = batchSize; count === batchSize; ) {
        const rows = await deliveries
          .find({ unannounced: true })
          .project<Pick<DeliveryRow, '_id' | 'listenerId' | 'dueAt'>>({ listenerId: 1, dueAt: 1 })
          .limit(batchSize)
          .toArray();
        count = rows.length;
        await announce(rows.map(({ dueAt = new Date(0), ...row }) => ({ ...row, dueAt })));
      }
      lookedAt = performance.now();
    },
  };
}
