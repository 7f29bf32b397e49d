import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { startFanOutOf } from './costly-organisation.js';

/** Fans out until it is killed, and tells its parent of each batch that it has enqueued. */
const [directory = ''] = process.argv.slice(2);
const store = openSqliteEventStore({ directory });
const opened = openSqliteDeliveryQueue({ directory });
startFanOutOf(store, {
  ...opened,
  async enqueue(batch, now) {
    const enqueued = await opened.enqueue(batch, now);
    process.send?.('enqueued');
    return enqueued;
  },
});
