import { openEventStoreDb } from '../../src/stores/event-store/eventstoredb/eventstoredb-event-store.js';
import { eventStoreContract } from '../contract/event-store.js';
import { serverVersions, type VersionName } from '../support/eventstoredb/server-version.js';
import { type EventStoreDouble, startEventStoreDouble } from '../support/eventstoredb/start-double.js';

const server = process.env.EVENTSTOREDB_URL;

if (server) {
  describe('on a real server', () => {
    eventStoreContract('EventStoreDB', () => openEventStoreDb({ url: server }));
  });
} else {
  for (const version of Object.keys(serverVersions) as VersionName[]) {
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
