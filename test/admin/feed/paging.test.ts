import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { pagingSuite } from './paging.js';

describe('reading the feed of an organisation page by page, on the embedded stores', function () {
  this.timeout(60_000);

  pagingSuite(async () => {
    const directory = temporaryDirectory();
    const store = openSqliteEventStore({ directory });
    const queue = openSqliteDeliveryQueue({ directory });
    return {
      store,
      queue,
      async close() {
        await queue.close();
        await store.close();
      },
    };
  }, 40);
});
