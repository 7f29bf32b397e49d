import type Database from 'better-sqlite3';
import { CheckpointLost, type FanOutCheckpoint, type Outcome } from '../../queue/delivery-queue.js';
import type { QueueClock } from '../../queue/queue-clock.js';
import type { Checkpoints } from '../checkpoints.js';
import type { OnRollback } from '../grouped-calls.js';
import { toLine } from '../outcomes/attempt-log.js';
import type { Targets } from '../registrations/targets.js';
import { stateNumbers } from '../schema.js';
import type { Messages, StoredMessage } from './messages.js';
import { isNewMessage, type NewMessage, type Unwritten, type UnwrittenDelivery } from './unwritten.js';
import type { DeliveryToWrite } from './write-deliveries.js';

type Parts = {
  readonly checkpoints: Checkpoints;
  readonly clock: Pick<QueueClock, 'reached'>;
  readonly messages: Messages;
  readonly targets: Targets;
  readonly unwritten: Unwritten;
  readonly write: (deliveries: Iterable<DeliveryToWrite>, onRollback: OnRollback) => number;
};

/** Writes what is not written yet; within a transaction that the caller has begun. */
export type WriteBehind = {
  /** Whether anything is not written yet. */
  readonly isOwed: () => boolean;
  /** Writes the message unless it has been. */
  readonly stored: (message: StoredMessage | NewMessage, onRollback: OnRollback) => StoredMessage;
  /** Writes the checkpoint, or keeps it until what comes before it is written. Throws `CheckpointLost`. */
  readonly keep: (checkpoint: FanOutCheckpoint, onRollback: OnRollback) => void;
  /** All of it as it stands, and the checkpoint that has stayed behind it. */
  readonly writeAll: (onRollback: OnRollback) => void;
  /** What has been here since before the last call of this, with the checkpoint that has stayed behind it. */
  readonly writeOld: (onRollback: OnRollback) => void;
  /** What there is of one hook, as it stands. */
  readonly writeHook: (key: number, onRollback: OnRollback) => void;
  /** One that has been delivered at its first attempt, with what came of it. Returns whether it was not there. */
  readonly writeDelivered: (
    delivery: UnwrittenDelivery,
    outcome: Extract<Outcome, { kind: 'succeeded' }>,
    now: number,
    onRollback: OnRollback,
  ) => boolean;
};

export function writeBehind(
  database: Database.Database,
  { checkpoints, clock, messages, targets, unwritten, write }: Parts,
): WriteBehind {
  const add = database.prepare(
    `INSERT INTO deliveries (id, webhook_id, message, listener, state, attempts, enqueued_at, ended_at, last_status, last_error,
       last_attempt_at, log)
     VALUES (?, ?, ?, ?, ${stateNumbers.succeeded}, 1, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );

  /** What came up to there is old when `writeOld` is called next. */
  let oldUpTo = 0;

  function stored(message: StoredMessage | NewMessage, onRollback: OnRollback): StoredMessage {
    if (!isNewMessage(message)) return message;
    if (message.key === undefined) {
      message.key = messages.put(message).key;
      onRollback(() => {
        delete message.key;
      });
    }
    return { key: message.key, message };
  }

  function writeThese(deliveries: readonly UnwrittenDelivery[], onRollback: OnRollback): void {
    const toWrite = deliveries.map((one): DeliveryToWrite => {
      const { delivery, message, enqueuedAt, dueAt } = one;
      const hook = targets.find(delivery.listenerId);
      const lease = unwritten.remove(one, onRollback);
      return { delivery, hook, message: stored(message, onRollback), enqueuedAt, dueAt, lease };
    });
    write(toWrite, onRollback);
  }

  const isLost = ({ reader, follows }: FanOutCheckpoint): boolean =>
    follows === true && checkpoints.of(reader) === undefined;

  /** Where the one before it has been lost, whoever hands over next is told. */
  function move(checkpoint: FanOutCheckpoint): void {
    if (!isLost(checkpoint)) checkpoints.keep(checkpoint, clock.reached);
  }

  return {
    stored,
    isOwed() {
      const { old, young } = unwritten.checkpoints;
      return unwritten.size > 0 || old !== undefined || young !== undefined;
    },
    keep(checkpoint, onRollback) {
      if (unwritten.size > 0) {
        if (isLost(checkpoint)) throw new CheckpointLost(checkpoint.reader);
        unwritten.keep({ old: unwritten.checkpoints.old, young: checkpoint }, onRollback);
      } else {
        checkpoints.keep(checkpoint, clock.reached);
        unwritten.keep({}, onRollback);
      }
    },
    writeAll(onRollback) {
      if (unwritten.size > 0) writeThese(unwritten.all(), onRollback);
      const { old, young = old } = unwritten.checkpoints;
      if (!young) return;
      move(young);
      unwritten.keep({}, onRollback);
    },
    writeOld(onRollback) {
      const upTo = oldUpTo;
      oldUpTo = unwritten.latest;
      const old = unwritten.all().filter(({ sequence }) => sequence <= upTo);
      if (old.length > 0) writeThese(old, onRollback);
      const waiting = unwritten.checkpoints;
      if (waiting.old) move(waiting.old);
      unwritten.keep({ old: waiting.young }, onRollback);
    },
    writeHook(key, onRollback) {
      const ofHook = unwritten.size === 0 ? [] : unwritten.all().filter(({ hook }) => hook.key === key);
      if (ofHook.length > 0) writeThese(ofHook, onRollback);
    },
    writeDelivered(one, { report }, now, onRollback) {
      const { delivery, hook, message, enqueuedAt } = one;
      const { status = null, error = null, startedAt } = report;
      const { key } = stored(message, onRollback);
      unwritten.remove(one, onRollback);
      const written = [enqueuedAt, now, status, error, startedAt, toLine(report)];
      return add.run(delivery.id, delivery.webhookId, key, hook.key, ...written).changes > 0;
    },
  };
}
