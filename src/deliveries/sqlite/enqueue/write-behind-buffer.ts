import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import type { Message, NewDelivery } from '../../queue/delivery.js';
import type { FanOutCheckpoint } from '../../queue/leasing.js';
import type { ListenerRow } from '../lease/delivery-to-lease.js';
import type { StoredMessage } from './messages.js';

/** The message of a flow event that the database does not have; `key`: of its row, once it is written. */
export type NewMessage = Message & {
  readonly name: string;
  readonly body: string;
  /** The caller's time. */
  readonly enqueuedAt: number;
  key?: number;
};

export const isNewMessage = (message: StoredMessage | NewMessage): message is NewMessage => 'name' in message;

/** `enqueuedAt` is the caller's time, `dueAt` the queue's. */
export type BufferedDelivery = {
  readonly delivery: NewDelivery;
  readonly message: NewMessage;
  readonly listener: ListenerRow;
  readonly enqueuedAt: number;
  readonly dueAt: number;
  /** Increases with each delivery. */
  readonly sequence: number;
};

/** `leaseExpiresAt` is on the monotonic clock. */
export type BufferedLease = { readonly lease: string; readonly leaseExpiresAt: number };

/** `old`: to be written after the deliveries buffered before the last `flushOld`; `young`: after all others. */
export type BufferedCheckpoints = {
  readonly old?: FanOutCheckpoint | undefined;
  readonly young?: FanOutCheckpoint | undefined;
};

/** Limits the memory in use. Deliveries beyond them are written at once. */
const limits = { deliveries: 2_000, characters: 4 * 1_048_576 };

/**
 * A delivery and its lease. Its fields are cleared when it is removed: the old tables of a `Map` that has grown survive minor
 * garbage collections, with all that their entries refer to.
 */
type Entry = { delivery: BufferedDelivery | undefined; lease: BufferedLease | undefined };

/**
 * Deliveries that are enqueued and not written yet. Most of them are delivered within milliseconds and written once, as one
 * row with their outcome. The fan-out's checkpoint is written after them, so that a crash loses none of them: the fan-out
 * enqueues them again.
 */
export class WriteBehindBuffer {
  private readonly byId = new Map<string, Entry>(); // by `sequence`
  private readonly messages = new Map<string, { message: NewMessage | undefined; deliveries: number }>();
  private free = 0;
  /** No lease expires before this time on the monotonic clock. */
  private firstExpiry = Number.POSITIVE_INFINITY;
  private lastDueAt = 0;
  private characters = 0;
  private waitingCheckpoints: BufferedCheckpoints = {};
  private sequence = 0;

  get size(): number {
    return this.byId.size;
  }

  /** To be written after the deliveries before them. */
  get checkpoints(): BufferedCheckpoints {
    return this.waitingCheckpoints;
  }

  keepCheckpoints(checkpoints: BufferedCheckpoints, onRollback: OnRollback): void {
    const before = this.waitingCheckpoints;
    this.waitingCheckpoints = checkpoints;
    onRollback(() => {
      this.waitingCheckpoints = before;
    });
  }

  /** Returns a new `sequence`. */
  nextSequence(): number {
    this.sequence += 1;
    return this.sequence;
  }

  /** The latest `sequence`. */
  get latestSequence(): number {
    return this.sequence;
  }

  /** Restores the order by `sequence` after a rollback, which puts removed deliveries back at the end. */
  sort(): void {
    const inOrder = [...this.byId].sort(([, one], [, other]) => sequenceOf(one) - sequenceOf(other));
    this.byId.clear();
    for (const [id, entry] of inOrder) this.byId.set(id, entry);
  }

  /** Whether a delivery due at that time comes last. */
  isInOrder(dueAt: number): boolean {
    return this.byId.size === 0 || dueAt >= this.lastDueAt;
  }

  has(id: string): boolean {
    return this.byId.has(id);
  }

  /** The message, if one of its deliveries is in the buffer. */
  message(name: string): NewMessage | undefined {
    return this.messages.get(name)?.message;
  }

  /** Forgets which messages have rows, after another process may have deleted some. */
  forgetKeys(onRollback: OnRollback): void {
    for (const { message } of this.messages.values()) {
      if (message?.key === undefined) continue;
      const { key } = message;
      delete message.key;
      onRollback(() => {
        message.key = key;
      });
    }
  }

  hasRoom({ name, body }: NewMessage): boolean {
    const more = this.messages.has(name) ? 0 : body.length;
    return this.byId.size < limits.deliveries && this.characters + more <= limits.characters;
  }

  /** By `sequence`. */
  all(): readonly BufferedDelivery[] {
    return [...this.byId.values()].flatMap(({ delivery = [] }) => delivery);
  }

  add(delivery: BufferedDelivery): void {
    this.put(delivery, undefined);
    this.lastDueAt = delivery.dueAt;
  }

  /** Undoes `add`. */
  removeAdded(added: readonly BufferedDelivery[]): void {
    for (const delivery of added) this.takeOut(delivery);
  }

  /** Removes a delivery that is being written. Returns its lease. */
  remove(delivery: BufferedDelivery, onRollback: OnRollback): BufferedLease | undefined {
    const lease = this.takeOut(delivery);
    onRollback(() => this.put(delivery, lease));
    return lease;
  }

  /** Visits the deliveries that are not leased, the longest due first, until `isEnough` returns true. */
  visitFree(isEnough: (delivery: BufferedDelivery) => boolean): void {
    if (this.free === 0) return;
    for (const { delivery, lease } of this.byId.values()) if (delivery && !lease && isEnough(delivery)) return;
  }

  /** The earliest due time of a delivery that is not leased. */
  firstDue(): number | undefined {
    let first: number | undefined;
    this.visitFree(({ dueAt }) => {
      first = dueAt;
      return true;
    });
    return first;
  }

  lease(deliveries: readonly BufferedDelivery[], lease: BufferedLease, onRollback: OnRollback): void {
    for (const { delivery } of deliveries) this.setLease(this.byId.get(delivery.id), lease);
    onRollback(() => {
      for (const { delivery } of deliveries) this.setLease(this.byId.get(delivery.id), undefined);
    });
  }

  /** The delivery with this id, if it is leased with this token and the lease has not expired. */
  findLeased(id: string, lease: string, monotonicNow: number): BufferedDelivery | undefined {
    const entry = this.byId.get(id);
    return entry?.lease?.lease === lease && entry.lease.leaseExpiresAt > monotonicNow ? entry.delivery : undefined;
  }

  /** Drops expired leases. */
  expire(monotonicNow: number): void {
    if (monotonicNow < this.firstExpiry) return;
    this.firstExpiry = Number.POSITIVE_INFINITY;
    for (const entry of this.byId.values())
      this.setLease(entry, entry.lease && entry.lease.leaseExpiresAt > monotonicNow ? entry.lease : undefined);
  }

  private setLease(entry: Entry | undefined, lease: BufferedLease | undefined): void {
    if (!entry) return;
    this.free += Number(lease === undefined) - Number(entry.lease === undefined);
    entry.lease = lease;
    if (lease && lease.leaseExpiresAt < this.firstExpiry) this.firstExpiry = lease.leaseExpiresAt;
  }

  private put(delivery: BufferedDelivery, lease: BufferedLease | undefined): void {
    const { message } = delivery;
    const entry: Entry = { delivery, lease: undefined };
    this.byId.set(delivery.delivery.id, entry);
    this.free += 1;
    if (lease) this.setLease(entry, lease);
    const known = this.messages.get(message.name);
    if (known) known.deliveries += 1;
    else {
      this.messages.set(message.name, { message, deliveries: 1 });
      this.characters += message.body.length;
    }
  }

  private takeOut({ delivery: { id }, message: { name, body } }: BufferedDelivery): BufferedLease | undefined {
    const entry = this.byId.get(id);
    if (!entry) return undefined;
    const { lease } = entry;
    this.byId.delete(id);
    entry.delivery = undefined;
    if (!lease) this.free -= 1;
    const known = this.messages.get(name);
    if (known && --known.deliveries === 0) {
      this.messages.delete(name);
      known.message = undefined;
      this.characters -= body.length;
    }
    return lease;
  }
}

const sequenceOf = ({ delivery }: Entry): number => delivery?.sequence ?? 0;
