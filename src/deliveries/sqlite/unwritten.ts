import type { Message, NewDelivery } from '../delivery.js';
import type { FanOutCheckpoint } from '../delivery-queue.js';
import type { OnRollback } from './grouped-calls.js';
import type { HookRow } from './looks.js';
import type { StoredMessage } from './messages.js';

/** A flow event's message that was not there before; `key`: of its row, once it has one. */
export type NewMessage = Message & { readonly name: string; readonly body: string; key?: number };

export const isNewMessage = (message: StoredMessage | NewMessage): message is NewMessage => 'name' in message;

/** `enqueuedAt` is the caller's time, `dueAt` the queue's. */
export type UnwrittenDelivery = {
  readonly delivery: NewDelivery;
  readonly message: NewMessage;
  readonly hook: HookRow;
  readonly enqueuedAt: number;
  readonly dueAt: number;
  /** Tells which of two came first. */
  readonly sequence: number;
};

/** `until` is on the monotonic clock. */
export type UnwrittenLease = { readonly lease: string; readonly until: number };

/** `old`: stays behind what came before the last look at what is old; `young`: behind the rest. */
export type WaitingCheckpoints = {
  readonly old?: FanOutCheckpoint | undefined;
  readonly young?: FanOutCheckpoint | undefined;
};

/** What is kept at most. */
const most = { deliveries: 2_000, characters: 4 * 1_048_576 };

/**
 * Deliveries that are enqueued and not written yet. Most of them are delivered within milliseconds, and one row with what
 * came of it is all that is ever written of them. The fan-out's checkpoint stays behind them, so that with the end of the
 * process nothing is lost: they are handed over again.
 */
export class Unwritten {
  private readonly byId = new Map<string, UnwrittenDelivery>();
  /** What nobody works on, in the order in which it came. */
  private readonly freeById = new Map<string, UnwrittenDelivery>();
  private readonly leases = new Map<string, UnwrittenLease>();
  private readonly messages = new Map<string, { readonly message: NewMessage; deliveries: number }>();
  private lastDueAt = 0;
  private characters = 0;
  private waiting: WaitingCheckpoints = {};
  private sequence = 0;

  get size(): number {
    return this.byId.size;
  }

  /** To be written once the deliveries that came before are. */
  get checkpoints(): WaitingCheckpoints {
    return this.waiting;
  }

  keep(checkpoints: WaitingCheckpoints, onRollback: OnRollback): void {
    const before = this.waiting;
    this.waiting = checkpoints;
    onRollback(() => {
      this.waiting = before;
    });
  }

  /** The `sequence` of the one that comes next; a new one each time. */
  next(): number {
    this.sequence += 1;
    return this.sequence;
  }

  /** Of the one that has come last. */
  get latest(): number {
    return this.sequence;
  }

  /** What was taken out and has been put back stands at the end otherwise. */
  sort(): void {
    const free = [...this.freeById].sort(([, one], [, other]) => one.sequence - other.sequence);
    this.freeById.clear();
    for (const [id, one] of free) this.freeById.set(id, one);
  }

  /** Whether what is due then comes last. */
  isInOrder(dueAt: number): boolean {
    return this.byId.size === 0 || dueAt >= this.lastDueAt;
  }

  has(id: string): boolean {
    return this.byId.has(id);
  }

  /** The message, where one of its deliveries is here. */
  message(name: string): NewMessage | undefined {
    return this.messages.get(name)?.message;
  }

  /** Another process may have removed rows of messages. */
  forgetKeys(onRollback: OnRollback): void {
    for (const { message } of this.messages.values()) {
      const { key } = message;
      delete message.key;
      onRollback(() => {
        if (key !== undefined) message.key = key;
      });
    }
  }

  hasRoom({ name, body }: NewMessage): boolean {
    const more = this.messages.has(name) ? 0 : body.length;
    return this.byId.size < most.deliveries && this.characters + more <= most.characters;
  }

  /** In the order in which they came. */
  all(): readonly UnwrittenDelivery[] {
    return [...this.byId.values()].sort((one, other) => one.sequence - other.sequence);
  }

  add(delivery: UnwrittenDelivery): void {
    this.put(delivery, undefined);
    this.lastDueAt = delivery.dueAt;
  }

  /** Undoes that these were added. */
  takeBack(added: readonly UnwrittenDelivery[]): void {
    for (const delivery of added) this.takeOut(delivery);
  }

  /** It has been written, or is being. */
  remove(delivery: UnwrittenDelivery, onRollback: OnRollback): UnwrittenLease | undefined {
    const lease = this.leases.get(delivery.delivery.id);
    this.takeOut(delivery);
    onRollback(() => this.put(delivery, lease));
    return lease;
  }

  /** What nobody works on, the longest due first. */
  free(): Iterable<UnwrittenDelivery> {
    return this.freeById.values();
  }

  /** When the first of what is free was due. */
  firstDue(): number | undefined {
    for (const { dueAt } of this.freeById.values()) return dueAt;
    return undefined;
  }

  lease(deliveries: readonly UnwrittenDelivery[], lease: UnwrittenLease, onRollback: OnRollback): void {
    for (const { delivery } of deliveries) {
      this.freeById.delete(delivery.id);
      this.leases.set(delivery.id, lease);
    }
    onRollback(() => {
      for (const { delivery } of deliveries) this.release(delivery.id);
    });
  }

  /** The delivery, if it is here under that lease, and that has not run out. */
  held(id: string, lease: string, moment: number): UnwrittenDelivery | undefined {
    const held = this.leases.get(id);
    return held?.lease === lease && held.until > moment ? this.byId.get(id) : undefined;
  }

  /** Frees what leases have run out of. There are never more of those than workers have slots. */
  expire(moment: number): void {
    for (const [id, { until }] of this.leases) if (until <= moment) this.release(id);
  }

  private release(id: string): void {
    const delivery = this.byId.get(id);
    if (this.leases.delete(id) && delivery) this.freeById.set(id, delivery);
  }

  private put(delivery: UnwrittenDelivery, lease: UnwrittenLease | undefined): void {
    const { message } = delivery;
    const { id } = delivery.delivery;
    this.byId.set(id, delivery);
    if (lease) this.leases.set(id, lease);
    else this.freeById.set(id, delivery);
    const known = this.messages.get(message.name);
    if (known) known.deliveries += 1;
    else {
      this.messages.set(message.name, { message, deliveries: 1 });
      this.characters += message.body.length;
    }
  }

  private takeOut(delivery: UnwrittenDelivery): void {
    const { message } = delivery;
    const { id } = delivery.delivery;
    this.byId.delete(id);
    this.freeById.delete(id);
    this.leases.delete(id);
    const known = this.messages.get(message.name);
    if (!known || --known.deliveries > 0) return;
    this.messages.delete(message.name);
    this.characters -= message.body.length;
  }
}
