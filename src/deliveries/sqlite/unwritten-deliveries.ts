import type { OnRollback } from '../../stores/sqlite/group-commit.js';
import type { Message, NewDelivery } from '../queue/delivery.js';
import { checkpointsOf, type FanOutBatch } from '../queue/leasing.js';
import { isUnrestrained } from '../queue/policy/listener-health.js';
import type { CallTime } from '../queue/policy/queue-clock.js';
import { type Messages, messageName } from './enqueue/write-deliveries.js';
import type { Listener, ListenerStore } from './listeners/listener-store.js';
import type { Shared } from './shared.js';

/** `key`: absent without a row. `deliveries`: number of unwritten ones. */
export type NewMessage = { message: Message; enqueuedAt: number; deliveries: number; key?: number };

/** `dueAt`: in queue time. `sequence` increases with each delivery. */
export type Unwritten = {
  delivery: NewDelivery;
  of: NewMessage;
  listener: Listener;
  dueAt: number;
  sequence: number;
  isUnderWay?: true;
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

  /** In the order of arrival, and within the limits. */
  mayTake({ messages, deliveries }: FanOutBatch, dueAt: number): boolean {
    if (this.byId.size > 0 && dueAt < this.lastDueAt) return false;
    const characters = messages.reduce((sum, { body }) => sum + (body?.length ?? 0), this.characters);
    return this.byId.size + deliveries.length <= limits.deliveries && characters <= limits.characters;
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

type Parts = {
  listenerStore: ListenerStore;
  messages: Messages;
  unwritten: UnwrittenDeliveries;
  flush: (onRollback: OnRollback) => void;
  flushListener: (key: number, onRollback: OnRollback) => void;
  keyOf: (of: NewMessage, onRollback: OnRollback) => number;
};

/**
 * Puts deliveries of a batch into memory if they are new and their listeners can be called at once. Returns their
 * number, and the rest of the batch.
 */
export function openKeepUnwritten(
  { fullyLeased, healths }: Shared,
  { listenerStore, messages: stored, unwritten, flush, flushListener, keyOf }: Parts,
) {
  /** Returns undefined if the batch changes a listener or does more than add deliveries. */
  function unchangedListeners(batch: FanOutBatch): Map<string, Listener> | undefined {
    const { ended, released = [], cancelledReplays = [], setAside, deliveries } = batch;
    if (ended.length + released.length + cancelledReplays.length + setAside.length > 0) return undefined;
    if (deliveries.some(({ replay }) => replay !== undefined)) return undefined;
    const listeners = new Map<string, Listener>();
    for (const queued of batch.listeners) {
      const listener = listenerStore.findUpToDate(queued);
      if (!listener) return undefined;
      listeners.set(queued.listenerId, listener);
    }
    return listeners;
  }

  /** Messages by name. Undefined if one has two positions, or a delivery's message is not in the batch. */
  function messagesOf({ messages, deliveries }: FanOutBatch, enqueuedAt: number): Map<string, NewMessage> | undefined {
    const found = new Map<string, NewMessage>();
    for (const message of messages) {
      const name = messageName(message);
      const known = found.get(name) ?? unwritten.message(name);
      if (known && known.message.position !== message.position) return undefined;
      found.set(name, known ?? { message, enqueuedAt, deliveries: 0 });
    }
    return deliveries.every((delivery) => found.has(messageName(delivery))) ? found : undefined;
  }

  /** Without a row for the message, all its deliveries outside the buffer are new. */
  function isNew({ message, deliveries, key }: NewMessage): boolean {
    if (message.body === null || key !== undefined) return false;
    return deliveries > 0 || stored.find(message.orgId, message.eventId) === undefined;
  }

  function isReady(listener: Listener, now: number): boolean {
    const { key, closed, paused, subscription, health, nextDue, keptBackSince } = listener;
    if (closed || paused || subscription.ordered || keptBackSince !== null) return false;
    const nothingFree = nextDue === null || nextDue > now || fullyLeased.untilFree(key, now) !== undefined;
    return nothingFree && isUnrestrained(healths.of(key, health), subscription.ratePerSecond ?? undefined);
  }

  return (batch: FanOutBatch, time: CallTime, onRollback: OnRollback): { kept: number; rest: FanOutBatch } => {
    const { now: enqueuedAt, queueNow: dueAt } = time;
    const mayKeep = isEnqueuedAgain(batch) && unwritten.mayTake(batch, dueAt);
    const listeners = mayKeep ? unchangedListeners(batch) : undefined;
    const messages = listeners && messagesOf(batch, enqueuedAt);
    if (!listeners || !messages) {
      flush(onRollback);
      return { kept: 0, rest: batch };
    }
    const fresh = new Set([...messages.values()].filter(isNew));
    const ready = new Set([...listeners.values()].filter((listener) => isReady(listener, dueAt)));
    const rest: NewDelivery[] = [];
    let kept = 0;
    for (const delivery of batch.deliveries) {
      if (unwritten.find(delivery.id)) continue;
      const of = messages.get(messageName(delivery));
      const listener = listeners.get(delivery.listenerId);
      if (of && fresh.has(of) && listener && ready.has(listener) && !delivery.held) {
        unwritten.add({ delivery, of, listener, dueAt }, onRollback);
        kept += 1;
      } else {
        rest.push(delivery);
        if (!listener) continue;
        flushListener(listener.key, onRollback); // earlier deliveries are leased first
        ready.delete(listener);
      }
    }
    const ofRest = new Set(rest.map(messageName));
    const toWrite = [...messages].filter(([name, { deliveries }]) => deliveries === 0 || ofRest.has(name));
    for (const [, of] of toWrite) if (of.deliveries > 0) keyOf(of, onRollback);
    return {
      kept,
      rest: { ...batch, messages: toWrite.map(([, { message }]) => message), listeners: [], deliveries: rest },
    };
  };
}

/** The reader enqueues the batch again after a crash, so it may be written later. */
function isEnqueuedAgain(batch: FanOutBatch): boolean {
  const [checkpoint, ...others] = checkpointsOf(batch);
  return others.length === 0 && checkpoint?.follows === true && checkpoint.handedOver === undefined;
}
