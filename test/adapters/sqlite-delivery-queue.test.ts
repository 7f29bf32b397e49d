import { join } from 'node:path';
import type { DeliveryQueue } from '../../src/deliveries/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../src/deliveries/sqlite/sqlite-delivery-queue.js';
import { deliveryQueueContract } from '../contract/delivery-queue.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const directory = temporaryDirectory();

deliveryQueueContract('SQLite', (place) => openSqliteDeliveryQueue({ directory: join(directory, place) }));
deliveryQueueContract('SQLite, which writes behind', (place) =>
  writingBehind(openSqliteDeliveryQueue({ directory: join(directory, 'behind', place) })),
);

/** All that is handed over would come again, so that what can wait is not written yet. */
const writingBehind = (queue: DeliveryQueue): DeliveryQueue => ({
  ...queue,
  enqueue: (batch, now) => queue.enqueue({ ...batch, resentAfterCrash: true }, now),
  enqueueAndLease: (batch, now, request) => queue.enqueueAndLease({ ...batch, resentAfterCrash: true }, now, request),
});
