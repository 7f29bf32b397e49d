import { openEventStoreDb } from '../../src/stores/event-store/eventstoredb/eventstoredb-event-store.js';
import { eventStoreContract } from '../contract/event-store.js';
import { type EventStoreDouble, startEventStoreDouble } from '../eventstoredb-double/src/start-double.js';

const server = process.env.EVENTSTOREDB_URL;

if (server) {
  describe('on a real server', () => {
    eventStoreContract('EventStoreDB', () => openEventStoreDb({ url: server }));
  });
} else {
  // The adapter has no branch for a version. The journeys run on 23.10, and 26.1 differs only in that it takes larger appends.
  describe('on the double of 24.10', () => {
    let double: EventStoreDouble;

    before(async () => {
      double = await startEventStoreDouble({ version: '24.10' });
    });
    after(() => double.stop());

    eventStoreContract('EventStoreDB', () => openEventStoreDb({ url: double.url }));
  });
}
