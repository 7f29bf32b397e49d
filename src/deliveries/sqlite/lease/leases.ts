import type { FullyLeasedListeners } from './listener-schedule.js';

export type LeaseRecord = {
  readonly id: string;
  readonly deliveryKey: number;
  readonly listenerKey: number;
  /** The listener receives one delivery at a time. */
  readonly ordered: boolean;
  readonly lease: string;
  /** On the monotonic clock. */
  readonly leaseExpiresAt: number;
  /** Due time, in the queue's time. A different one in its row means that another process has redelivered it. */
  readonly dueAt: number;
  /** The delivery becomes due again after this attempt, whatever the outcome. */
  readonly redeliverAfterLease: boolean;
};

/**
 * The deliveries under lease, in memory: only the service that has the data directory open leases, and its leases end with
 * its process, so that a restart continues at once. They expire by the monotonic clock: a change of the wall clock neither
 * shortens nor extends them.
 */
export class Leases {
  private readonly byDelivery = new Map<number, LeaseRecord>();
  private readonly byId = new Map<string, LeaseRecord>();
  private readonly countByListener = new Map<number, number>();
  private issued = 0;

  constructor(private readonly fullyLeased: Pick<FullyLeasedListeners, 'invalidate'>) {}

  /** In milliseconds. */
  readonly monotonicNow = (): number => performance.now();

  /** Returns a new lease token. */
  next(): string {
    this.issued += 1;
    return String(this.issued);
  }

  hold(record: LeaseRecord): void {
    this.byDelivery.set(record.deliveryKey, record);
    this.byId.set(record.id, record);
    this.countByListener.set(record.listenerKey, this.countOf(record.listenerKey) + 1);
  }

  /** `ended`: the delivery has reached a final state, so no delivery of its listener has become free. */
  drop(id: string, { ended = false }: { readonly ended?: boolean } = {}): void {
    const record = this.byId.get(id);
    if (!record) return;
    this.byId.delete(id);
    if (this.byDelivery.get(record.deliveryKey) === record) this.byDelivery.delete(record.deliveryKey);
    const left = this.countOf(record.listenerKey) - 1;
    if (left === 0) this.countByListener.delete(record.listenerKey);
    else this.countByListener.set(record.listenerKey, left);
    if (!ended || left === 0) this.fullyLeased.invalidate(record.listenerKey);
  }

  /** Makes the delivery due again after its attempt, if it is under lease. Returns a function that undoes this. */
  redeliverAfterLease(id: string): (() => void) | undefined {
    const record = this.byId.get(id);
    if (!record || record.redeliverAfterLease || record.leaseExpiresAt <= this.monotonicNow()) return undefined;
    this.replace({ ...record, redeliverAfterLease: true });
    return () => this.replace(record);
  }

  /** Notes that these deliveries, if they are leased, have a new due time in their rows. Returns a function that undoes this. */
  renewDue(deliveryKeys: readonly number[], dueAt: number): () => void {
    const records = deliveryKeys.flatMap((key) => this.byDelivery.get(key) ?? []);
    for (const each of records) this.replace({ ...each, dueAt });
    return () => {
      for (const each of records) this.replace(each);
    };
  }

  /** The lease of the delivery with this id, if it has this token and has not expired. */
  find(id: string, lease: string): LeaseRecord | undefined {
    const record = this.byId.get(id);
    return record?.lease === lease && record.leaseExpiresAt > this.monotonicNow() ? record : undefined;
  }

  /** Drops the lease of a delivery that is being deleted. Returns a function that undoes this, if it was leased. */
  forget(deliveryKey: number): (() => void) | undefined {
    const record = this.byDelivery.get(deliveryKey);
    if (!record) return undefined;
    this.drop(record.id);
    return () => this.hold(record);
  }

  /** The lease expiry of a delivery; undefined if it is free. */
  expiryOf(deliveryKey: number): number | undefined {
    return this.byDelivery.get(deliveryKey)?.leaseExpiresAt;
  }

  /** The earliest lease expiry of a listener's deliveries; undefined if it has no leases. */
  firstExpiryOf(listenerKey: number): number | undefined {
    if (this.countOf(listenerKey) === 0) return undefined;
    const records = [...this.byId.values()].filter((record) => record.listenerKey === listenerKey);
    return Math.min(...records.map(({ leaseExpiresAt }) => leaseExpiresAt));
  }

  countOf(listenerKey: number): number {
    return this.countByListener.get(listenerKey) ?? 0;
  }

  /** The number of listeners with a leased delivery. */
  get listeners(): number {
    return this.countByListener.size;
  }

  /** Drops expired leases. There are never more leases than workers have slots, so the full scan is cheap. */
  expire(): void {
    const now = this.monotonicNow();
    for (const [id, { leaseExpiresAt }] of this.byId) if (leaseExpiresAt <= now) this.drop(id);
  }

  private replace(record: LeaseRecord): void {
    if (this.byId.get(record.id)?.lease !== record.lease) return;
    this.byId.set(record.id, record);
    this.byDelivery.set(record.deliveryKey, record);
  }
}
