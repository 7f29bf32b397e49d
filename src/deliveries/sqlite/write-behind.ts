import type Database from 'better-sqlite3';
import type { GroupCommit, OnRollback } from '../../stores/sqlite/group-commit.js';
import type { NewDelivery } from '../queue/delivery.js';
import {
  CheckpointLost,
  checkpointsOf,
  type FanOutBatch,
  type FanOutCheckpoint,
  type LeasedDelivery,
  type LeaseRequest,
  type Outcome,
} from '../queue/leasing.js';
import type { LeaseRoom } from '../queue/policy/lease-room.js';
import { isUnrestrained } from '../queue/policy/listener-health.js';
import type { CallTime, QueueClock } from '../queue/policy/queue-clock.js';
import type { Checkpoints } from './checkpoints.js';
import { type DeliveryToWrite, type Messages, messageName } from './enqueue/write-deliveries.js';
import { leasedDelivery } from './lease/leased-delivery.js';
import type { Listener, ListenerStore } from './listeners/listener-store.js';
import type { TallyChanges } from './outcomes/statistics.js';
import { toLine } from './outcomes/write-attempt.js';
import { stateNumbers } from './schema.js';
import type { Shared } from './shared.js';
import { type Lease, type NewMessage, type Unwritten, UnwrittenDeliveries } from './unwritten-deliveries.js';

type Parts = {
  checkpoints: Checkpoints;
  clock: Pick<QueueClock, 'reached'>;
  listenerStore: ListenerStore;
  messages: Messages;
  write: (deliveries: Iterable<DeliveryToWrite>) => number;
};

/** Checkpoints that wait for deliveries: `old` for those of the last interval, `young` for all. */
type Pending = { old?: FanOutCheckpoint; young?: FanOutCheckpoint };

type Row = { key: number; dueAt: number | null };

/** A delivery that does not succeed at once is written within two intervals. */
const flushIntervalMs = 1_000;

/**
 * Keeps deliveries in memory and writes most of them once, with their success. The fan-out's checkpoint is written
 * after them, so a crash enqueues them again.
 */
export class WriteBehind {
  private readonly unwritten = new UnwrittenDeliveries();
  private readonly insertSucceeded: Database.Statement;
  private readonly findRow: Database.Statement<[number, number], Row>;
  private pending: Pending = {};
  /** The next interval's flush writes up to this sequence. */
  private oldSequence = 0;

  constructor(
    private readonly shared: Shared,
    private readonly parts: Parts,
  ) {
    const { database } = shared;
    this.insertSucceeded = database.prepare(
      `INSERT INTO deliveries (id, webhook_id, message, listener, state, attempts, enqueued_at, ended_at, last_status,
         last_error, last_attempt_at, log)
       VALUES (?, ?, ?, ?, ${stateNumbers.succeeded}, 1, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    );
    this.findRow = database.prepare(
      "SELECT key, due_at AS dueAt FROM deliveries WHERE message = ? AND listener = ? AND ifnull(replay, '') = ''",
    );
  }

  /** Returns the number of deliveries kept, and the rest of the batch. */
  enqueue(
    batch: FanOutBatch,
    { now: enqueuedAt, queueNow: dueAt }: CallTime,
    onRollback: OnRollback,
  ): { kept: number; rest: FanOutBatch } {
    const mayKeep = isEnqueuedAgain(batch) && this.unwritten.isLast(dueAt) && this.unwritten.hasRoomFor(batch);
    const listeners = mayKeep ? this.unchangedListeners(batch) : undefined;
    const messages = listeners && this.messagesOf(batch, enqueuedAt);
    if (!listeners || !messages) {
      this.flush(onRollback);
      return { kept: 0, rest: batch };
    }
    const fresh = new Set([...messages.values()].filter((of) => this.isNew(of)));
    const ready = new Set([...listeners.values()].filter((listener) => this.isReady(listener, dueAt)));
    const rest: NewDelivery[] = [];
    let kept = 0;
    for (const delivery of batch.deliveries) {
      if (this.unwritten.find(delivery.id)) continue;
      const of = messages.get(messageName(delivery));
      const listener = listeners.get(delivery.listenerId);
      if (of && fresh.has(of) && listener && ready.has(listener) && !delivery.held) {
        this.unwritten.add({ delivery, of, listener, dueAt }, onRollback);
        kept += 1;
      } else {
        rest.push(delivery);
        if (!listener) continue;
        this.flushListener(listener.key, onRollback); // earlier deliveries are leased first
        ready.delete(listener);
      }
    }
    const ofRest = new Set(rest.map(messageName));
    const toWrite = [...messages].filter(([name, { deliveries }]) => deliveries === 0 || ofRest.has(name));
    for (const [, of] of toWrite) if (of.deliveries > 0) this.keyOf(of, onRollback);
    return {
      kept,
      rest: { ...batch, messages: toWrite.map(([, { message }]) => message), listeners: [], deliveries: rest },
    };
  }

  /** Writes each checkpoint after the deliveries before it. Throws `CheckpointLost`. */
  keepCheckpoints(checkpoints: readonly FanOutCheckpoint[], onRollback: OnRollback): void {
    if (checkpoints.length > 1) this.flush(onRollback); // only that of one reader can wait for deliveries
    for (const checkpoint of checkpoints) this.keepCheckpoint(checkpoint, onRollback);
  }

  private keepCheckpoint(checkpoint: FanOutCheckpoint, onRollback: OnRollback): void {
    const { checkpoints, clock } = this.parts;
    if (this.unwritten.size === 0) {
      checkpoints.keep(checkpoint, clock.reached);
      this.setPending({}, onRollback);
      return;
    }
    if (this.isLost(checkpoint)) throw new CheckpointLost(checkpoint.reader);
    checkpoints.waiting.put(checkpoint); // at once: an event that waits is read again if the checkpoint is lost
    const { waiting: _, ...young } = checkpoint;
    this.setPending({ old: this.pending.old, young }, onRollback);
  }

  /** Writes all deliveries if the request requires it. */
  prepareLease({ ratePerSecond, now }: LeaseRequest, firstDue: number, onRollback: OnRollback): void {
    if (this.unwritten.size === 0) return;
    const isRated = ratePerSecond !== undefined; // a rate applies to written deliveries
    if (isRated || (firstDue <= now && this.firstFreeDue() < firstDue)) this.flush(onRollback);
  }

  /** `limitReached`: more are free than the request's limit allows. */
  lease(
    room: LeaseRoom,
    lease: Lease,
    onRollback: OnRollback,
  ): { deliveries: readonly LeasedDelivery[]; limitReached: boolean } {
    const deliveries: LeasedDelivery[] = [];
    if (this.unwritten.size === 0) return { deliveries, limitReached: false };
    const now = this.shared.leases.monotonicNow();
    const full = new Set<number | string>(); // room never grows
    for (const one of this.unwritten.all()) {
      const { delivery, of, listener, lease: before } = one;
      if (isLeased(one, now)) continue;
      if (room.left <= 0) return { deliveries, limitReached: true };
      if (full.has(listener.key) || full.has(listener.orgId)) continue;
      if (room.ofOrganisation(listener.orgId) <= 0) full.add(listener.orgId);
      else if (room.ofListener(listener) <= 0) full.add(listener.key);
      else {
        room.take(listener, 1);
        one.lease = lease;
        onRollback(() => {
          one.lease = before;
        });
        deliveries.push(leasedDelivery(lease.lease, listener, firstAttempt(delivery, of)));
      }
    }
    return { deliveries, limitReached: false };
  }

  /** Returns the key of the listener; undefined if the outcome has still to be written to the delivery's row. */
  record(outcome: Outcome, now: number, changes: TallyChanges, onRollback: OnRollback): number | undefined {
    const one = this.unwritten.find(outcome.id);
    if (!one || one.lease?.lease !== outcome.lease) return undefined;
    if (!isLeased(one, this.shared.leases.monotonicNow())) return undefined;
    const { delivery, of, listener } = one;
    if (outcome.kind !== 'succeeded') {
      this.flushListener(listener.key, onRollback);
      return undefined;
    }
    const { status = null, error = null, startedAt } = outcome.report;
    const message = this.remove(one, onRollback);
    const attempt = [now, status, error, startedAt, toLine(outcome.report)];
    const row = [delivery.id, delivery.webhookId, message, listener.key, of.enqueuedAt, ...attempt];
    if (this.insertSucceeded.run(...row).changes > 0) changes.add(stateNumbers.succeeded, 1);
    return listener.key;
  }

  flushListener(key: number, onRollback: OnRollback): void {
    this.write(this.unwritten.ofListener(key), onRollback);
  }

  flush(onRollback: OnRollback): void {
    this.unwritten.forgetKeys(onRollback);
    this.write(this.unwritten.all(), onRollback);
    const { old, young = old } = this.pending;
    if (!young) return;
    this.writeCheckpoint(young);
    this.setPending({}, onRollback);
  }

  /** Writes at intervals what was enqueued before the last one. */
  startFlushing(callWithoutSync: GroupCommit['callWithoutSync']): () => void {
    const timer = setInterval(() => {
      if (this.unwritten.size === 0 && !this.pending.old && !this.pending.young) return;
      callWithoutSync((onRollback) => this.flushOld(onRollback)).catch(() => undefined);
    }, flushIntervalMs).unref();
    return () => clearInterval(timer);
  }

  private flushOld(onRollback: OnRollback): void {
    const upTo = this.oldSequence;
    this.oldSequence = this.unwritten.latestSequence;
    const old = this.unwritten.all().filter(({ sequence }) => sequence <= upTo);
    this.write(old, onRollback);
    if (this.pending.old) this.writeCheckpoint(this.pending.old);
    this.setPending({ old: this.pending.young }, onRollback);
  }

  private write(deliveries: readonly Unwritten[], onRollback: OnRollback): void {
    if (deliveries.length === 0) return;
    const { fullyLeased, leases } = this.shared;
    const { listenerStore, write } = this.parts;
    const now = leases.monotonicNow();
    const toWrite = deliveries.map((one) => {
      const { delivery, of, dueAt, lease } = one;
      const listener = listenerStore.find(delivery.listenerId);
      const message = { key: this.remove(one, onRollback), position: of.message.position };
      const leased = isLeased(one, now) ? lease : undefined;
      return { delivery, listener, message, enqueuedAt: of.enqueuedAt, dueAt, leased };
    });
    write(toWrite);
    for (const { delivery, listener, message, dueAt, leased } of toWrite) {
      if (!leased) continue;
      const row = this.findRow.get(message.key, listener.key) as Row;
      fullyLeased.invalidate(listener.key); // the lease expiry has to be read
      leases.hold({
        id: delivery.id,
        deliveryKey: row.key,
        listenerKey: listener.key,
        ordered: listener.subscription.ordered,
        dueAt: row.dueAt ?? dueAt,
        redeliverAfterLease: false,
        ...leased,
      });
      onRollback(() => leases.drop(delivery.id));
    }
  }

  private remove(one: Unwritten, onRollback: OnRollback): number {
    this.unwritten.remove(one, onRollback);
    return this.keyOf(one.of, onRollback);
  }

  private keyOf(of: NewMessage, onRollback: OnRollback): number {
    if (of.key !== undefined) return of.key;
    const { key } = this.parts.messages.put(of.message, of.enqueuedAt);
    of.key = key;
    onRollback(() => {
      delete of.key;
    });
    return key;
  }

  /** Returns undefined if the batch changes a listener or does more than add deliveries. */
  private unchangedListeners(batch: FanOutBatch): Map<string, Listener> | undefined {
    const { ended, released = [], cancelledReplays = [], setAside, deliveries } = batch;
    if (ended.length + released.length + cancelledReplays.length + setAside.length > 0) return undefined;
    if (deliveries.some(({ replay }) => replay !== undefined)) return undefined;
    const listeners = new Map<string, Listener>();
    for (const queued of batch.listeners) {
      const listener = this.parts.listenerStore.findUpToDate(queued);
      if (!listener) return undefined;
      listeners.set(queued.listenerId, listener);
    }
    return listeners;
  }

  /** Messages by name. Undefined if one has two positions, or a delivery's message is not in the batch. */
  private messagesOf({ messages, deliveries }: FanOutBatch, enqueuedAt: number): Map<string, NewMessage> | undefined {
    const found = new Map<string, NewMessage>();
    for (const message of messages) {
      const name = messageName(message);
      const known = found.get(name) ?? this.unwritten.message(name);
      if (known && known.message.position !== message.position) return undefined;
      found.set(name, known ?? { message, enqueuedAt, deliveries: 0 });
    }
    return deliveries.every((delivery) => found.has(messageName(delivery))) ? found : undefined;
  }

  /** Without a row for the message, all its deliveries outside the buffer are new. */
  private isNew({ message, deliveries, key }: NewMessage): boolean {
    if (message.body === null || key !== undefined) return false;
    return deliveries > 0 || this.parts.messages.find(message.orgId, message.eventId) === undefined;
  }

  private isReady(listener: Listener, now: number): boolean {
    const { fullyLeased, healths } = this.shared;
    const { key, closed, paused, subscription, health, nextDue, keptBackSince } = listener;
    if (closed || paused || subscription.ordered || keptBackSince !== null) return false;
    const nothingFree = nextDue === null || nextDue > now || fullyLeased.untilFree(key, now) !== undefined;
    return nothingFree && isUnrestrained(healths.of(key, health), subscription.ratePerSecond ?? undefined);
  }

  private firstFreeDue(): number {
    const now = this.shared.leases.monotonicNow();
    return this.unwritten.all().find((one) => !isLeased(one, now))?.dueAt ?? Number.POSITIVE_INFINITY;
  }

  private isLost({ reader, follows }: FanOutCheckpoint): boolean {
    return follows === true && this.parts.checkpoints.of(reader) === undefined;
  }

  /** Writes nothing after a lost checkpoint: the reader's next batch is refused with `CheckpointLost`. */
  private writeCheckpoint(checkpoint: FanOutCheckpoint): void {
    if (!this.isLost(checkpoint)) this.parts.checkpoints.keep(checkpoint, this.parts.clock.reached);
  }

  private setPending(pending: Pending, onRollback: OnRollback): void {
    const before = this.pending;
    this.pending = pending;
    onRollback(() => {
      this.pending = before;
    });
  }
}

const isLeased = ({ lease }: Unwritten, monotonicNow: number): boolean =>
  lease !== undefined && lease.leaseExpiresAt > monotonicNow;

/** The reader enqueues the batch again after a crash, so it may be written later. */
function isEnqueuedAgain(batch: FanOutBatch): boolean {
  const [checkpoint, ...others] = checkpointsOf(batch);
  return others.length === 0 && checkpoint?.follows === true && checkpoint.handedOver === undefined;
}

const firstAttempt = ({ id, webhookId, eventId }: NewDelivery, { message, enqueuedAt }: NewMessage) => ({
  id,
  webhookId,
  eventId,
  eventType: message.type,
  body: message.body ?? '',
  attempt: 1,
  enqueuedAt,
  recordedAt: message.recordedAt,
  ...(message.traceparent !== undefined && { traceparent: message.traceparent }),
});
