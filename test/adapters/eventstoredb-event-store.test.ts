import { openEventStoreDb } from '../../src/stores/event-store/eventstoredb/eventstoredb-event-store.js';
import { eventStoreContract } from '../contract/event-store.js';
import { type EventStoreDouble, startEventStoreDouble } from '../support/eventstoredb/start-double.js';

const server = process.env.EVENTSTOREDB_URL;

if (server) {
  describe('on a real server', () => {
    eventStoreContract('EventStoreDB', () => openEventStoreDb({ url: server }));
  });
} else {
  // 26.1 differs from 24.10 only in that it takes larger appends.
  for (const version of ['23.10', '24.10'] as const) {
    describe(`on the double of ${version}`, () => {
      let double: EventStoreDouble;

      before(async () => {
        double = await startEventStoreDouble({ version });
      });
      after(() => double.stop());

      eventStoreContract('EventStoreDB', () => openEventStoreDb({ url: double.url }));
    });
  }
}
