import type { GroupCommit, OnRollback } from '../../stores/sqlite/group-commit.js';
import type { NewDelivery } from '../queue/delivery.js';
import type { FanOutCheckpoint, LeasedDelivery, LeaseRequest, Outcome } from '../queue/leasing.js';
import type { LeaseRoom } from '../queue/policy/lease-room.js';
import type { QueueClock } from '../queue/policy/queue-clock.js';
import { type Checkpoints, pendingCheckpoints } from './checkpoints.js';
import type { DeliveryToWrite, Messages } from './enqueue/write-deliveries.js';
import { leasedDelivery } from './lease/leased-delivery.js';
import { leaseOf, unchanged } from './lease/leases.js';
import type { ListenerStore } from './listeners/listener-store.js';
import { toLine } from './outcomes/write-attempt.js';
import { stateNumbers } from './schema.js';
import type { Shared } from './shared.js';
import { type NewMessage, openKeepUnwritten, type Unwritten, UnwrittenDeliveries } from './unwritten-deliveries.js';

type Parts = {
  checkpoints: Checkpoints;
  clock: Pick<QueueClock, 'reached'>;
  listenerStore: ListenerStore;
  messages: Messages;
  write: (deliveries: Iterable<DeliveryToWrite>) => number;
};

type Row = { key: number; attempts: number; requests: number };

/** A delivery that does not succeed at once is written within two intervals. */
const flushIntervalMs = 1_000;

export type WriteBehind = ReturnType<typeof openWriteBehind>;

/**
 * Keeps deliveries in memory and writes most of them once, with their success. The fan-out's checkpoint is written
 * after them, so a crash enqueues them again.
 */
export function openWriteBehind(shared: Shared, parts: Parts) {
  const unwritten = new UnwrittenDeliveries();
  const pending = pendingCheckpoints(parts.checkpoints, parts.clock);
  const { write, writeSucceeded, keyOf } = openWriter(shared, parts, unwritten);
  /** The next interval's flush writes up to this sequence. */
  let oldSequence = 0;

  function flush(onRollback: OnRollback): void {
    unwritten.forgetKeys(onRollback);
    write(unwritten.all(), onRollback);
    pending.writeAll(onRollback);
  }

  function flushOld(onRollback: OnRollback): void {
    const upTo = oldSequence;
    oldSequence = unwritten.latestSequence;
    const old = unwritten.all().filter(({ sequence }) => sequence <= upTo);
    write(old, onRollback);
    pending.writeOld(onRollback);
  }

  const flushListener = (key: number, onRollback: OnRollback): void => write(unwritten.ofListener(key), onRollback);

  const keepUnwritten = openKeepUnwritten(shared, { ...parts, unwritten, flush, flushListener, keyOf });
  return {
    enqueue: keepUnwritten,
    /** Writes each checkpoint after the deliveries before it. Throws `CheckpointLost`. */
    keepCheckpoints(checkpoints: readonly FanOutCheckpoint[], onRollback: OnRollback): void {
      if (checkpoints.length > 1) flush(onRollback); // only that of one reader can wait for deliveries
      const keep = unwritten.size === 0 ? pending.replaceBy : pending.add;
      for (const checkpoint of checkpoints) keep(checkpoint, onRollback);
    },
    /** Writes all deliveries if the request requires it. */
    prepareLease({ ratePerSecond, now }: LeaseRequest, firstDue: number, onRollback: OnRollback): void {
      if (unwritten.size === 0) return;
      const isRated = ratePerSecond !== undefined; // a rate applies to written deliveries
      if (isRated || (firstDue <= now && firstFreeDue(unwritten) < firstDue)) flush(onRollback);
    },
    lease: (room: LeaseRoom, onRollback: OnRollback) => leaseUnwritten(unwritten, room, onRollback),
    /** Returns the key of the listener; undefined if the outcome has still to be written to the delivery's row. */
    record(outcome: Outcome, now: number, onRollback: OnRollback): number | undefined {
      const one = unwritten.find(outcome.id);
      if (!one?.isUnderWay) return undefined;
      const { key } = one.listener;
      if (outcome.kind !== 'succeeded') return void flushListener(key, onRollback);
      writeSucceeded(one, outcome, now, onRollback);
      return key;
    },
    flushListener,
    flush,
    /** Writes at intervals what was enqueued before the last one. */
    startFlushing(callWithoutSync: GroupCommit['callWithoutSync']): () => void {
      const timer = setInterval(() => {
        if (unwritten.size === 0 && !pending.exist()) return;
        callWithoutSync(flushOld).catch(() => undefined);
      }, flushIntervalMs).unref();
      return () => clearInterval(timer);
    },
  };
}

/** Takes unwritten deliveries out of memory, and writes them with their messages. */
function openWriter(
  { database, leases, tally }: Shared,
  { listenerStore, messages, write }: Parts,
  unwritten: UnwrittenDeliveries,
) {
  const insertSucceeded = database.prepare(
    `INSERT INTO deliveries (id, webhook_id, message, listener, state, attempts, enqueued_at, ended_at, last_status,
       last_error, last_attempt_at, log)
     VALUES (?, ?, ?, ?, ${stateNumbers.succeeded}, 1, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const findRow = database.prepare<[number, number], Row>(
    "SELECT key, attempts, requests FROM deliveries WHERE message = ? AND listener = ? AND ifnull(replay, '') = ''",
  );

  function keyOf(of: NewMessage, onRollback: OnRollback): number {
    if (of.key !== undefined) return of.key;
    const { key } = messages.put(of.message, of.enqueuedAt);
    of.key = key;
    onRollback(() => {
      delete of.key;
    });
    return key;
  }

  function remove(one: Unwritten, onRollback: OnRollback): number {
    unwritten.remove(one, onRollback);
    return keyOf(one.of, onRollback);
  }

  return {
    keyOf,
    write(deliveries: readonly Unwritten[], onRollback: OnRollback): void {
      if (deliveries.length === 0) return;
      const toWrite = deliveries.map((one) => {
        const { delivery, of, dueAt, isUnderWay } = one;
        const listener = listenerStore.find(delivery.listenerId);
        const message = { key: remove(one, onRollback), position: of.message.position };
        return { delivery, listener, message, enqueuedAt: of.enqueuedAt, dueAt, isUnderWay };
      });
      write(toWrite);
      for (const { delivery, listener, message, isUnderWay } of toWrite) {
        if (!isUnderWay) continue;
        const { key, ...row } = findRow.get(message.key, listener.key) as Row;
        const { ordered } = listener.subscription;
        leases.hold({ id: delivery.id, deliveryKey: key, listenerKey: listener.key, ordered, ...row });
        onRollback(() => leases.drop(delivery.id));
      }
    },
    /** Changes no row that exists. */
    writeSucceeded(
      one: Unwritten,
      { report }: Extract<Outcome, { kind: 'succeeded' }>,
      now: number,
      onRollback: OnRollback,
    ): void {
      const { delivery, of, listener } = one;
      const { status = null, error = null, startedAt } = report;
      const message = remove(one, onRollback);
      const attempt = [now, status, error, startedAt, toLine(report)];
      const row = [delivery.id, delivery.webhookId, message, listener.key, of.enqueuedAt, ...attempt];
      tally.add(stateNumbers.succeeded, insertSucceeded.run(...row).changes);
    },
  };
}

/** `limitReached`: more are free than the request's limit allows. */
function leaseUnwritten(
  unwritten: UnwrittenDeliveries,
  room: LeaseRoom,
  onRollback: OnRollback,
): { deliveries: readonly LeasedDelivery[]; limitReached: boolean } {
  const deliveries: LeasedDelivery[] = [];
  const full = new Set<number | string>(); // room never grows
  for (const one of unwritten.all()) {
    const { delivery, of, listener } = one;
    if (one.isUnderWay) continue;
    if (room.left <= 0) return { deliveries, limitReached: true };
    if (full.has(listener.key) || full.has(listener.orgId)) continue;
    if (room.ofOrganisation(listener.orgId) <= 0) full.add(listener.orgId);
    else if (room.ofListener(listener) <= 0) full.add(listener.key);
    else {
      room.take(listener, 1);
      one.isUnderWay = true;
      onRollback(() => {
        delete one.isUnderWay;
      });
      deliveries.push(leasedDelivery(leaseOf(unchanged), listener, firstAttempt(delivery, of)));
    }
  }
  return { deliveries, limitReached: false };
}

const firstFreeDue = (unwritten: UnwrittenDeliveries): number =>
  unwritten.all().find(({ isUnderWay }) => !isUnderWay)?.dueAt ?? Number.POSITIVE_INFINITY;

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
