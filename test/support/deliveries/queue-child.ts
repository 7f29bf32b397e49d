import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { batchOf, leaseRequest, queuedListener, succeeded } from './delivery-batches.js';

/** Fills and empties a queue until it is killed, and reports each acknowledged operation to its parent. */
const [directory = ''] = process.argv.slice(2);
const queue = openSqliteDeliveryQueue({ directory });
const listener = queuedListener();
let enqueued = 0;
let recorded = 0;

for (;;) {
  enqueued += (await queue.enqueue(batchOf([listener], 7), 900)).added;
  const { deliveries } = await queue.lease(leaseRequest({ limit: 5 }));
  recorded += (await queue.record(deliveries.map(succeeded), 1_000)).counted;
  process.send?.({ enqueued, recorded });
}
