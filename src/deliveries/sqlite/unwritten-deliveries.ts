import type { OnRollback } from '../../stores/sqlite/group-commit.js';
import type { Message, NewDelivery } from '../queue/delivery.js';
import type { FanOutBatch } from '../queue/leasing.js';
import { messageName } from './enqueue/write-deliveries.js';
import type { LeaseRecord } from './lease/leases.js';
import type { Listener } from './listeners/listener-store.js';

/** `key`: absent without a row. `deliveries`: number of unwritten ones. */
export type NewMessage = { message: Message; enqueuedAt: number; deliveries: number; key?: number };

export type Lease = Pick<LeaseRecord, 'lease' | 'leaseExpiresAt'>;

/** `dueAt`: in queue time. `sequence` increases with each delivery. */
export type Unwritten = {
  delivery: NewDelivery;
  of: NewMessage;
  listener: Listener;
  dueAt: number;
  sequence: number;
  lease?: Lease;
};

const limits = { deliveries: 2_000, characters: 4 * 1_048_576 };

/** Deliveries in memory in their order of arrival, with their messages. */
export class UnwrittenDeliveries {
  private readonly byId = new Map<string, Unwritten>();
  private readonly messages = new Map<string, NewMessage>();
  private readonly countByListener = new Map<number, number>();
  private characters = 0;
  private lastDueAt = 0;
  private isInOrder = true;
  latestSequence = 0;

  get size(): number {
    return this.byId.size;
  }

  find(id: string): Unwritten | undefined {
    return this.byId.get(id);
  }

  message(name: string): NewMessage | undefined {
    return this.messages.get(name);
  }

  hasRoomFor({ messages, deliveries }: FanOutBatch): boolean {
    const characters = messages.reduce((sum, { body }) => sum + (body?.length ?? 0), this.characters);
    return this.byId.size + deliveries.length <= limits.deliveries && characters <= limits.characters;
  }

  isLast(dueAt: number): boolean {
    return this.byId.size === 0 || dueAt >= this.lastDueAt;
  }

  all(): readonly Unwritten[] {
    if (!this.isInOrder) {
      const sorted = [...this.byId].sort(([, one], [, other]) => one.sequence - other.sequence);
      this.byId.clear();
      for (const [id, one] of sorted) this.byId.set(id, one);
      this.isInOrder = true;
    }
    return [...this.byId.values()];
  }

  ofListener(key: number): readonly Unwritten[] {
    return this.countByListener.has(key) ? this.all().filter(({ listener }) => listener.key === key) : [];
  }

  add(delivery: Omit<Unwritten, 'sequence'>, onRollback: OnRollback): void {
    this.latestSequence += 1;
    const one = { ...delivery, sequence: this.latestSequence };
    this.lastDueAt = one.dueAt;
    this.put(one);
    onRollback(() => this.drop(one));
  }

  remove(one: Unwritten, onRollback: OnRollback): void {
    this.drop(one);
    onRollback(() => {
      this.put(one);
      this.isInOrder = false;
    });
  }

  /** Another process may have deleted some rows. */
  forgetKeys(onRollback: OnRollback): void {
    for (const of of this.messages.values()) {
      const { key } = of;
      if (key === undefined) continue;
      delete of.key;
      onRollback(() => {
        of.key = key;
      });
    }
  }

  private put(one: Unwritten): void {
    const { delivery, of, listener } = one;
    this.byId.set(delivery.id, one);
    this.countByListener.set(listener.key, (this.countByListener.get(listener.key) ?? 0) + 1);
    of.deliveries += 1;
    if (of.deliveries > 1) return;
    this.messages.set(messageName(delivery), of);
    this.characters += of.message.body?.length ?? 0;
  }

  private drop({ delivery, of, listener }: Unwritten): void {
    if (!this.byId.delete(delivery.id)) return;
    const left = (this.countByListener.get(listener.key) ?? 0) - 1;
    if (left > 0) this.countByListener.set(listener.key, left);
    else this.countByListener.delete(listener.key);
    of.deliveries -= 1;
    if (of.deliveries > 0) return;
    this.messages.delete(messageName(delivery));
    this.characters -= of.message.body?.length ?? 0;
  }
}
