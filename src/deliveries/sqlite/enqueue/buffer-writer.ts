import type Database from 'better-sqlite3';
import type { OnRollback } from '../../../stores/sqlite/group-commit.js';
import { CheckpointLost, type FanOutCheckpoint, type Outcome } from '../../queue/leasing.js';
import type { QueueClock } from '../../queue/policy/queue-clock.js';
import type { Checkpoints } from '../checkpoints.js';
import type { ListenerStore } from '../listeners/listener-store.js';
import { toLine } from '../outcomes/attempt-log.js';
import { stateNumbers } from '../schema.js';
import type { Messages, StoredMessage } from './messages.js';
import { type BufferedDelivery, isNewMessage, type NewMessage, type WriteBehindBuffer } from './write-behind-buffer.js';
import type { DeliveryToWrite } from './write-deliveries.js';

type Parts = {
  readonly checkpoints: Checkpoints;
  readonly clock: Pick<QueueClock, 'reached'>;
  readonly messages: Messages;
  readonly listenerStore: ListenerStore;
  readonly buffer: WriteBehindBuffer;
  readonly write: (deliveries: Iterable<DeliveryToWrite>, onRollback: OnRollback) => number;
};

/** Writes the deliveries of the buffer; within a transaction that the caller has begun. */
export type BufferWriter = {
  /** Whether a delivery or a checkpoint is not written yet. */
  readonly hasPending: () => boolean;
  /** Writes the message unless it has been. */
  readonly stored: (message: StoredMessage | NewMessage, onRollback: OnRollback) => StoredMessage;
  /** Writes the checkpoint, or keeps it until the deliveries before it are written. Throws `CheckpointLost`. */
  readonly keepCheckpoint: (checkpoint: FanOutCheckpoint, onRollback: OnRollback) => void;
  /** Writes all deliveries with their leases, and the checkpoint after them. */
  readonly flush: (onRollback: OnRollback) => void;
  /** Writes the deliveries buffered since before the last call, and the checkpoint after them. */
  readonly flushOld: (onRollback: OnRollback) => void;
  /** Writes the deliveries of one listener with their leases. */
  readonly flushListener: (key: number, onRollback: OnRollback) => void;
  /** Writes a delivery that succeeded at its first attempt. Returns false if its row exists already. */
  readonly writeDelivered: (
    delivery: BufferedDelivery,
    outcome: Extract<Outcome, { kind: 'succeeded' }>,
    now: number,
    onRollback: OnRollback,
  ) => boolean;
};

export function openBufferWriter(
  database: Database.Database,
  { checkpoints, clock, messages, listenerStore, buffer, write }: Parts,
): BufferWriter {
  const add = database.prepare(
    `INSERT INTO deliveries (id, webhook_id, message, listener, state, attempts, enqueued_at, ended_at, last_status, last_error,
       last_attempt_at, log)
     VALUES (?, ?, ?, ?, ${stateNumbers.succeeded}, 1, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );

  /** The latest `sequence` that the next `flushOld` writes. */
  let oldUpTo = 0;

  function stored(message: StoredMessage | NewMessage, onRollback: OnRollback): StoredMessage {
    if (!isNewMessage(message)) return message;
    if (message.key === undefined) {
      message.key = messages.put(message, message.enqueuedAt).key;
      onRollback(() => {
        delete message.key;
      });
    }
    return { key: message.key, position: message.position, message };
  }

  function writeThese(deliveries: readonly BufferedDelivery[], onRollback: OnRollback): void {
    const toWrite = deliveries.map((one): DeliveryToWrite => {
      const { delivery, message, enqueuedAt, dueAt } = one;
      const listener = listenerStore.find(delivery.listenerId);
      const lease = buffer.remove(one, onRollback);
      return { delivery, listener, message: stored(message, onRollback), enqueuedAt, dueAt, lease };
    });
    write(toWrite, onRollback);
  }

  const isLost = ({ reader, follows }: FanOutCheckpoint): boolean =>
    follows === true && checkpoints.of(reader) === undefined;

  /** Writes nothing if the checkpoint before it is lost: the next batch of its reader is refused with `CheckpointLost`. */
  function writeCheckpoint(checkpoint: FanOutCheckpoint): void {
    if (!isLost(checkpoint)) checkpoints.keep(checkpoint, clock.reached);
  }

  return {
    stored,
    hasPending() {
      const { old, young } = buffer.checkpoints;
      return buffer.size > 0 || old !== undefined || young !== undefined;
    },
    keepCheckpoint(checkpoint, onRollback) {
      checkpoints.waiting.put(checkpoint); // at once: an event that waits is read again where the checkpoint is lost
      if (buffer.size > 0) {
        if (isLost(checkpoint)) throw new CheckpointLost(checkpoint.reader);
        buffer.keepCheckpoints({ old: buffer.checkpoints.old, young: checkpoint }, onRollback);
      } else {
        checkpoints.keep(checkpoint, clock.reached);
        buffer.keepCheckpoints({}, onRollback);
      }
    },
    flush(onRollback) {
      if (buffer.size > 0) writeThese(buffer.all(), onRollback);
      const { old, young = old } = buffer.checkpoints;
      if (!young) return;
      writeCheckpoint(young);
      buffer.keepCheckpoints({}, onRollback);
    },
    flushOld(onRollback) {
      const upTo = oldUpTo;
      oldUpTo = buffer.latestSequence;
      const old = buffer.all().filter(({ sequence }) => sequence <= upTo);
      if (old.length > 0) writeThese(old, onRollback);
      const waiting = buffer.checkpoints;
      if (waiting.old) writeCheckpoint(waiting.old);
      buffer.keepCheckpoints({ old: waiting.young }, onRollback);
    },
    flushListener(key, onRollback) {
      const ofListener = buffer.size === 0 ? [] : buffer.all().filter(({ listener }) => listener.key === key);
      if (ofListener.length > 0) writeThese(ofListener, onRollback);
    },
    writeDelivered(one, { report }, now, onRollback) {
      const { delivery, listener, message, enqueuedAt } = one;
      const { status = null, error = null, startedAt } = report;
      const { key } = stored(message, onRollback);
      buffer.remove(one, onRollback);
      const written = [enqueuedAt, now, status, error, startedAt, toLine(report)];
      return add.run(delivery.id, delivery.webhookId, key, listener.key, ...written).changes > 0;
    },
  };
}
