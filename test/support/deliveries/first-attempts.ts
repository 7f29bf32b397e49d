import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { QueuedListener } from '../../../src/queue/delivery.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import type { FanOutBatch } from '../../../src/queue/fan-out-batch.js';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import { positionOf } from '../../../src/queue/reader-positions.js';
import { deliveriesFile } from '../../../src/queue/sqlite/schema.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { batchOf, emptyBatch, queuedListener } from './delivery-batches.js';

/** Whose checkpoint is kept in these tests. */
export const reader = 'fan-out';

/** A queue with first attempts from memory, and the file under it as another process sees it: only what has been written. */
export type FirstAttempts = {
  directory: string;
  queue: DeliveryQueue;
  file: DeliveryQueue;
  close: () => Promise<void>;
};

/** Opens a queue in which these listeners are known, and the reader has its beginning. */
export async function openFirstAttempts(...listeners: readonly QueuedListener[]): Promise<FirstAttempts> {
  const directory = temporaryDirectory();
  const queue = openSqliteDeliveryQueue({ directory });
  await queue.enqueue({ ...emptyBatch, listeners: listeners, checkpoint: { reader, position: 0n } }, 900);
  const file = openSqliteDeliveryQueue({ directory });
  return {
    directory,
    queue,
    file,
    async close() {
      await queue.close();
      await file.close();
    },
  };
}

/** The batch as the fan-out enqueues it: it is enqueued again after a crash, starting from the queue's checkpoint. */
export const comingAgain = (batch: FanOutBatch, checkpoint = 0n): FanOutBatch => ({
  ...batch,
  checkpoint: { reader, position: checkpoint, follows: true },
});

/** A batch of one event, by its name, that comes again. */
export const eventFor = (listeners: readonly QueuedListener[], name: string): FanOutBatch =>
  comingAgain(batchOf(listeners, 1, name));

/** Each batch has a checkpoint that follows another, as those of the fan-out do, so that the queue may write it later. */
export async function likeFanOut(queue: DeliveryQueue): Promise<DeliveryQueue> {
  if ((await positionOf(queue, reader)) === undefined)
    await queue.enqueue({ ...emptyBatch, checkpoint: { reader, position: 0n } }, 0);
  return {
    ...queue,
    enqueue: (batch, now) => queue.enqueue({ checkpoint: { reader, position: 0n, follows: true }, ...batch }, now),
  };
}

/** One that fails; for a listener that is new, only after all that there is has been written. */
export const lostBatch = (listener: QueuedListener): FanOutBatch => ({
  ...comingAgain(batchOf([listener])),
  checkpoint: { reader: 'lost', position: 1n, follows: true },
});

/** The names of the events that `eventFor` has made of them. */
export const namesOf = (deliveries: readonly Pick<LeasedDelivery, 'eventId'>[]): readonly string[] =>
  deliveries.map(({ eventId }) => eventId.replace(/-0$/, ''));

/** Listeners of `numberedEvents`. */
export const numberedListeners: readonly QueuedListener[] = ['one', 'other'].map((listenerId) =>
  queuedListener({ listenerId }),
);

/** Events after this position, named by theirs, each for both listeners, with the checkpoint of the last one. */
export function numberedEvents(after: bigint, events: number): FanOutBatch {
  const batches = Array.from({ length: events }, (_, index) =>
    batchOf(numberedListeners, 1, `event-${after + BigInt(index) + 1n}`),
  );
  const batch = {
    ...emptyBatch,
    messages: batches.flatMap(({ messages }) => messages),
    listeners: numberedListeners,
    deliveries: batches.flatMap(({ deliveries }) => deliveries),
  };
  return comingAgain(batch, after + BigInt(events));
}

/** Refuses inserts of deliveries from now on. Returns the function that ends that. */
export function refuseDeliveries(directory: string): () => void {
  const database = new Database(join(directory, deliveriesFile.name));
  database.exec("CREATE TRIGGER refused BEFORE INSERT ON deliveries BEGIN SELECT RAISE(ABORT, 'refused'); END");
  return () => {
    database.exec('DROP TRIGGER refused');
    database.close();
  };
}
