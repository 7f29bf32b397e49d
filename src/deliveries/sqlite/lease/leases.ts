import type { FullyLeasedListeners } from './listener-schedule.js';

export type LeaseRecord = {
  id: string;
  deliveryKey: number;
  listenerKey: number;
  ordered: boolean;
  lease: string;
  /** In queue time. The row has another one if another process has redelivered it. */
  dueAt: number;
  redeliverAfterLease: boolean;
};

/**
 * Leases are in memory, since one service at a time opens the data directory. They end with the outcomes of their attempts;
 * a restart continues at once.
 */
export class Leases {
  private readonly byDelivery = new Map<number, LeaseRecord>();
  private readonly byId = new Map<string, LeaseRecord>();
  private readonly countByListener = new Map<number, number>();
  private issued = 0;

  constructor(private readonly fullyLeased: Pick<FullyLeasedListeners, 'invalidate'>) {}

  next(): string {
    this.issued += 1;
    return String(this.issued);
  }

  hold(record: LeaseRecord): void {
    this.byDelivery.set(record.deliveryKey, record);
    this.byId.set(record.id, record);
    this.countByListener.set(record.listenerKey, this.countOf(record.listenerKey) + 1);
  }

  /** `ended`: final state, so no delivery of the listener has become free. */
  drop(id: string, { ended = false }: { ended?: boolean } = {}): void {
    const record = this.byId.get(id);
    if (!record) return;
    this.byId.delete(id);
    if (this.byDelivery.get(record.deliveryKey) === record) this.byDelivery.delete(record.deliveryKey);
    const left = this.countOf(record.listenerKey) - 1;
    if (left === 0) this.countByListener.delete(record.listenerKey);
    else this.countByListener.set(record.listenerKey, left);
    if (!ended || left === 0) this.fullyLeased.invalidate(record.listenerKey);
  }

  /** Returns a function that undoes this; undefined if the delivery is not leased. */
  redeliverAfterLease(id: string): (() => void) | undefined {
    const record = this.byId.get(id);
    if (!record || record.redeliverAfterLease) return undefined;
    this.replace({ ...record, redeliverAfterLease: true });
    return () => this.replace(record);
  }

  /** Returns a function that undoes this. */
  renewDue(deliveryKeys: readonly number[], dueAt: number): () => void {
    const records = deliveryKeys.flatMap((key) => this.byDelivery.get(key) ?? []);
    for (const each of records) this.replace({ ...each, dueAt });
    return () => {
      for (const each of records) this.replace(each);
    };
  }

  find(id: string, lease: string): LeaseRecord | undefined {
    const record = this.byId.get(id);
    return record?.lease === lease ? record : undefined;
  }

  /** Returns a function that undoes this; undefined if the delivery is not leased. */
  forget(deliveryKey: number): (() => void) | undefined {
    const record = this.byDelivery.get(deliveryKey);
    if (!record) return undefined;
    this.drop(record.id);
    return () => this.hold(record);
  }

  has(deliveryKey: number): boolean {
    return this.byDelivery.has(deliveryKey);
  }

  countOf(listenerKey: number): number {
    return this.countByListener.get(listenerKey) ?? 0;
  }

  get listeners(): number {
    return this.countByListener.size;
  }

  private replace(record: LeaseRecord): void {
    if (this.byId.get(record.id)?.lease !== record.lease) return;
    this.byId.set(record.id, record);
    this.byDelivery.set(record.deliveryKey, record);
  }
}
