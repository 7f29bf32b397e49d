import { randomUUID } from 'node:crypto';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openEventStoreDb } from '../../../src/stores/event-store/eventstoredb/eventstoredb-event-store.js';
import { type EventStoreDouble, startEventStoreDouble } from '../../eventstoredb-double/src/start-double.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { pagingSuite } from './paging.js';

onMongoDb('reading the feed of an organisation page by page', ({ database }) => {
  describe('reading the feed of an organisation page by page, on EventStoreDB and MongoDB', function () {
    this.timeout(240_000);
    let double: EventStoreDouble;
    let store: EventStore;

    before(async () => {
      double = await startEventStoreDouble();
      store = openEventStoreDb({ url: double.url });
    });
    after(async () => {
      await store.close();
      await double.stop();
    });

    pagingSuite(async () => {
      const queue = await openMongoDeliveryQueue(database(randomUUID()));
      return { store, queue, close: () => queue.close() };
    }, 10);
  });
});
