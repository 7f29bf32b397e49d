import { asReadOf } from '../../leasing.js';
import type { DeliveryRow, ListenerRow } from '../collections.js';

/** A row that this process attempts, as it was read. `handedOver`: its partition was released, and it is due later: see `postpone`. */
export type RowUnderWay = Pick<DeliveryRow, '_id' | 'orgId' | 'listenerId' | 'attempts'> & {
  requests: number;
  handedOver?: true;
};

/** A look at a listener that had due deliveries, all of which are under way. `next`: when another one is due, else infinite. */
type Look = { hintVersion: number; next: number; at: number };

/** Other processes change rows too: after this time a listener is looked at again. */
const lookAgainMs = 1_000;

/**
 * The rows under way, in the memory of the process that alone attempts those of its partitions. Each is under way until its outcome is
 * recorded. The next owner of the partition finds them due.
 */
export class RowsUnderWay {
  private readonly rows = new Map<string, RowUnderWay>();
  private readonly byListener = new Map<string, Set<string>>();
  private readonly looks = new Map<string, Look>();
  /** IDs of those that have ended since the beginning of each read. */
  private readonly reads = new Set<Set<string>>();

  /** `row`: as it was read, or is being inserted. */
  add({
    _id,
    orgId,
    listenerId,
    attempts,
    requests = 0,
  }: Omit<RowUnderWay, 'requests' | 'handedOver'> & { requests?: number }) {
    this.rows.set(_id, { _id, orgId, listenerId, attempts, requests });
    const ofListener = this.byListener.get(listenerId) ?? new Set();
    this.byListener.set(listenerId, ofListener.add(_id));
  }

  /** Undefined if the delivery is not under way, or was attempted since. */
  find(id: string, asRead: string): RowUnderWay | undefined {
    const row = this.rows.get(id);
    return row && asReadOf(row) === asRead ? row : undefined;
  }

  remove(id: string): void {
    const row = this.rows.get(id);
    if (!row) return;
    this.rows.delete(id);
    for (const ended of this.reads) ended.add(id);
    const ofListener = this.byListener.get(row.listenerId);
    ofListener?.delete(id);
    if (ofListener?.size === 0) this.byListener.delete(row.listenerId);
    this.looks.delete(row.listenerId);
  }

  /** Reads rows. `isFree`: not under way, also not when the read began: a row that has ended since may have been read as waiting. */
  async whileReading<Row extends { _id: string }>(
    read: () => Promise<readonly Row[]>,
  ): Promise<readonly { row: Row; isFree: boolean }[]> {
    const ended = new Set<string>();
    this.reads.add(ended);
    try {
      const rows = await read();
      return rows.map((row) => ({ row, isFree: !this.rows.has(row._id) && !ended.has(row._id) }));
    } finally {
      this.reads.delete(ended);
    }
  }

  ofListener(listenerId: string): readonly string[] {
    return [...(this.byListener.get(listenerId) ?? [])];
  }

  ofOrganisations(has: (orgId: string) => boolean): readonly RowUnderWay[] {
    return [...this.rows.values()].filter(({ orgId }) => has(orgId));
  }

  /** `underWay`: as they were when the deliveries were read. Nothing is noted if one of them has ended since. */
  noteLook({ _id, hintVersion }: Pick<ListenerRow, '_id' | 'hintVersion'>, next: number, underWay: readonly string[]) {
    if (underWay.every((id) => this.rows.has(id))) this.looks.set(_id, { hintVersion, next, at: performance.now() });
  }

  lookAgain(listenerIds: Iterable<string>): void {
    for (const listenerId of listenerIds) this.looks.delete(listenerId);
  }

  /** True if none of its deliveries is due but those under way. */
  isFullyUnderWay({ _id, hintVersion }: Pick<ListenerRow, '_id' | 'hintVersion'>, now: number): boolean {
    const look = this.looks.get(_id);
    return look !== undefined && look.hintVersion === hintVersion && look.next > now;
  }

  /** Listeners that need no look now, and when the first of them does, in the time of `now`. */
  fullyUnderWay(now: number): { listenerIds: readonly string[]; nextDueAt: number | undefined } {
    const since = performance.now() - lookAgainMs;
    const listenerIds: string[] = [];
    let nextDueAt: number | undefined;
    for (const [listenerId, { next, at }] of this.looks) {
      if (at <= since || next <= now) this.looks.delete(listenerId);
      else {
        listenerIds.push(listenerId);
        if (next < (nextDueAt ?? Number.POSITIVE_INFINITY)) nextDueAt = next;
      }
    }
    return { listenerIds, nextDueAt };
  }
}
