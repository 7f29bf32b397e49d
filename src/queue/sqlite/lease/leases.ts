import { asReadOf } from '../../leasing.js';
import type { FullyLeasedListeners } from './listener-schedule.js';

/** A delivery under way, and its row as it was read. */
export type LeaseRecord = {
  id: string;
  deliveryKey: number;
  listenerKey: number;
  ordered: boolean;
  attempts: number;
  requests: number;
};

/**
 * The deliveries under way, in memory alone, since one service at a time opens the data directory: each is until its
 * outcome is recorded, and after a restart all that wait are due.
 */
export class Leases {
  private readonly byDelivery = new Map<number, LeaseRecord>();
  private readonly byId = new Map<string, LeaseRecord>();
  private readonly countByListener = new Map<number, number>();

  constructor(private readonly fullyLeased: Pick<FullyLeasedListeners, 'invalidate'>) {}

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

  find(id: string, asRead: string): LeaseRecord | undefined {
    const record = this.byId.get(id);
    return record && asReadOf(record) === asRead ? record : undefined;
  }

  /** Returns a function that undoes this; undefined if the delivery is not under way. */
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
}
