import { LRUCache } from 'lru-cache';
import type { LeasedDelivery, LeaseRequest } from '../../leasing.js';
import { LeaseCapacity } from '../../policy/fair-sharing.js';
import type { DeliveryRow, ListenerRow } from '../collections.js';
import type { CalmListeners } from './calm-listeners.js';
import type { RowsUnderWay } from './under-way.js';

/** A row with all that its attempt needs. */
export type ReadRow = {
  row: Pick<DeliveryRow, '_id' | 'orgId' | 'listenerId' | 'attempts' | 'requests'>;
  delivery: LeasedDelivery;
};

/** Rows of an ordered listener that follow its delivery under way, in order. */
type Ahead = {
  /** The listener as it was found due, and as it was read. */
  found: Pick<ListenerRow, '_id' | 'hintVersion'>;
  read: ListenerRow;
  /** The delivery under way, or that has just succeeded. */
  current: ReadRow;
  hasSucceeded: boolean;
  rows: readonly ReadRow[];
  /** Moment at which the rows were read, in milliseconds of `performance.now()`. */
  readAt: number;
};

/** Other processes change rows too: after this time they are read again. */
const maxAgeMs = 1_000;

/** Maximum numbers, to bound memory. Characters are those of the bodies kept; the number of rows that are read follows from the length of the last one. */
const max = { rows: 50, characters: 131_072, listeners: 1_000 };

/**
 * The next rows of ordered listeners, read with the one before and leased without another read as soon as that one has succeeded. They are
 * forgotten if the listener may have changed. Replays and tests are not among them, since their rows alone are cancelled.
 */
export class RowsAhead {
  private readonly byListener = new Map<string, Ahead>();
  private readonly latest = new LRUCache<string, { leasedAt: number; characters: number }>({ max: max.listeners });

  constructor(
    private readonly calm: Pick<CalmListeners, 'isAsRead'>,
    private readonly underWay: Pick<RowsUnderWay, 'add' | 'noteLook'>,
  ) {}

  /** Number of rows that are worth reading: those that the listener, at its speed, will have attempted in time. */
  limitOf(listenerId: string): number {
    const latest = this.latest.get(listenerId);
    if (!latest) return 0;
    const inTime = maxAgeMs / (performance.now() - latest.leasedAt);
    return Math.floor(Math.min(max.rows, inTime, max.characters / Math.max(1, latest.characters)));
  }

  /** Replaces the rows that follow those of a listener. */
  put({ rows, ...listener }: Omit<Ahead, 'hasSucceeded'>): void {
    this.keep({ ...listener, rows: mayBeAhead(rows) });
  }

  private keep({ rows, ...listener }: Omit<Ahead, 'hasSucceeded'>): void {
    const { found, current } = listener;
    this.forgetOld();
    this.latest.set(found._id, { leasedAt: performance.now(), characters: current.delivery.body.length });
    if (rows.length > 0) this.byListener.set(found._id, { ...listener, rows, hasSucceeded: false });
    else this.byListener.delete(found._id);
  }

  /** Notes that the outcomes of these deliveries are recorded. */
  succeeded(ids: ReadonlySet<string>): void {
    for (const ahead of this.byListener.values()) if (ids.has(ahead.current.delivery.id)) ahead.hasSucceeded = true;
  }

  /** Leases the next rows of these listeners that may be attempted now. The primary was proved before. */
  lease(listenerIds: readonly string[], request: LeaseRequest): readonly LeasedDelivery[] {
    const capacity = new LeaseCapacity(request);
    const deliveries: LeasedDelivery[] = [];
    this.forgetOld();
    for (const listenerId of listenerIds) {
      const ahead = this.byListener.get(listenerId);
      const [next, ...rows] = ahead?.rows ?? [];
      if (!ahead?.hasSucceeded || !next || capacity.shareOf(next.delivery) === 0) continue;
      capacity.take(next.delivery, 1);
      this.underWay.add(next.row);
      this.underWay.noteLook(ahead.found, Number.POSITIVE_INFINITY, [next.row._id]);
      this.keep({ ...ahead, current: next, rows });
      deliveries.push(next.delivery);
    }
    return deliveries;
  }

  private forgetOld(): void {
    const since = performance.now() - maxAgeMs;
    for (const [listenerId, { readAt, read }] of this.byListener) {
      if (readAt < since || !this.calm.isAsRead(read)) this.byListener.delete(listenerId);
    }
  }
}

/** Rows before the first replay or test, within the limit of characters. */
function mayBeAhead(rows: readonly ReadRow[]): readonly ReadRow[] {
  let characters = 0;
  const end = rows.findIndex(({ delivery: { replay, recordedAt, body } }) => {
    characters += body.length;
    return replay !== undefined || recordedAt === undefined || characters > max.characters;
  });
  return end === -1 ? rows : rows.slice(0, end);
}
