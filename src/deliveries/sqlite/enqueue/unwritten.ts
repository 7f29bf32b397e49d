import type { Message, NewDelivery } from '../../queue/delivery.js';
import type { FanOutCheckpoint } from '../../queue/delivery-queue.js';
import type { OnRollback } from '../grouped-calls.js';
import type { HookRow } from '../lease/looks.js';
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
 * A delivery and who works on it, if anybody. Emptied when it is taken out: the tables that a `Map` has outgrown outlive the collections of what is
 * young, each kept by the one before, with all that is still in them.
 */
type Kept = { delivery: UnwrittenDelivery | undefined; lease: UnwrittenLease | undefined };

/**
 * Deliveries that are enqueued and not written yet. Most of them are delivered within milliseconds, and one row with what
 * came of it is all that is ever written of them. The fan-out's checkpoint stays behind them, so that with the end of the
 * process nothing is lost: they are handed over again.
 */
export class Unwritten {
  private readonly byId = new Map<string, Kept>(); // in the order in which they came
  private readonly messages = new Map<string, { message: NewMessage | undefined; deliveries: number }>();
  private free = 0;
  /** No lease runs out before. */
  private leasedUntil = Number.POSITIVE_INFINITY;
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
    const inOrder = [...this.byId].sort(([, one], [, other]) => sequenceOf(one) - sequenceOf(other));
    this.byId.clear();
    for (const [id, kept] of inOrder) this.byId.set(id, kept);
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
    return this.byId.size < most.deliveries && this.characters + more <= most.characters;
  }

  /** In the order in which they came. */
  all(): readonly UnwrittenDelivery[] {
    return [...this.byId.values()].flatMap(({ delivery = [] }) => delivery);
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
    const lease = this.takeOut(delivery);
    onRollback(() => this.put(delivery, lease));
    return lease;
  }

  /** Shows what nobody works on, the longest due first, until `isEnough` says so. */
  showFree(isEnough: (delivery: UnwrittenDelivery) => boolean): void {
    if (this.free === 0) return;
    for (const { delivery, lease } of this.byId.values()) if (delivery && !lease && isEnough(delivery)) return;
  }

  /** When the first of what is free was due. */
  firstDue(): number | undefined {
    let first: number | undefined;
    this.showFree(({ dueAt }) => {
      first = dueAt;
      return true;
    });
    return first;
  }

  lease(deliveries: readonly UnwrittenDelivery[], lease: UnwrittenLease, onRollback: OnRollback): void {
    for (const { delivery } of deliveries) this.give(this.byId.get(delivery.id), lease);
    onRollback(() => {
      for (const { delivery } of deliveries) this.give(this.byId.get(delivery.id), undefined);
    });
  }

  /** The delivery, if it is here under that lease, and that has not run out. */
  held(id: string, lease: string, moment: number): UnwrittenDelivery | undefined {
    const kept = this.byId.get(id);
    return kept?.lease?.lease === lease && kept.lease.until > moment ? kept.delivery : undefined;
  }

  /** Frees what leases have run out of. */
  expire(moment: number): void {
    if (moment < this.leasedUntil) return;
    this.leasedUntil = Number.POSITIVE_INFINITY;
    for (const kept of this.byId.values())
      this.give(kept, kept.lease && kept.lease.until > moment ? kept.lease : undefined);
  }

  private give(kept: Kept | undefined, lease: UnwrittenLease | undefined): void {
    if (!kept) return;
    this.free += Number(lease === undefined) - Number(kept.lease === undefined);
    kept.lease = lease;
    if (lease && lease.until < this.leasedUntil) this.leasedUntil = lease.until;
  }

  private put(delivery: UnwrittenDelivery, lease: UnwrittenLease | undefined): void {
    const { message } = delivery;
    const kept: Kept = { delivery, lease: undefined };
    this.byId.set(delivery.delivery.id, kept);
    this.free += 1;
    if (lease) this.give(kept, lease);
    const known = this.messages.get(message.name);
    if (known) known.deliveries += 1;
    else {
      this.messages.set(message.name, { message, deliveries: 1 });
      this.characters += message.body.length;
    }
  }

  private takeOut({ delivery: { id }, message: { name, body } }: UnwrittenDelivery): UnwrittenLease | undefined {
    const kept = this.byId.get(id);
    if (!kept) return undefined;
    const { lease } = kept;
    this.byId.delete(id);
    kept.delivery = undefined;
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

const sequenceOf = ({ delivery }: Kept): number => delivery?.sequence ?? 0;
