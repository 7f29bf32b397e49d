import { join } from 'node:path';
import type { DeliveryQueue } from '../../../../src/deliveries/queue/delivery-queue.js';
import { positionOf } from '../../../../src/deliveries/queue/leasing.js';
import { openSqliteDeliveryQueue } from '../../../../src/deliveries/sqlite/sqlite-delivery-queue.js';
import { deliveryQueueContract } from '../../../contract/delivery-queue.js';
import { emptyBatch } from '../../../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../../support/temporary-directory.js';

const directory = temporaryDirectory();
const reader = 'reader';

deliveryQueueContract('SQLite, with first attempts from memory', async (place) => {
  const queue = openSqliteDeliveryQueue({ directory: join(directory, place) });
  if ((await positionOf(queue, reader)) === undefined)
    await queue.enqueue({ ...emptyBatch, checkpoint: { reader, position: 0n } }, 0);
  return likeFanOut(queue);
});

/** Each batch has a checkpoint that follows another, as those of the fan-out do, so that the queue may write it later. */
const likeFanOut = (queue: DeliveryQueue): DeliveryQueue => ({
  ...queue,
  enqueue: (batch, now, request) =>
    queue.enqueue({ checkpoint: { reader, position: 0n, follows: true }, ...batch }, now, request),
});
