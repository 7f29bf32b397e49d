import { randomUUID } from 'node:crypto';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { openMongoReadModel } from '../../src/views/mongodb/mongodb-read-model.js';
import { openSqliteReadModel } from '../../src/views/sqlite/sqlite-read-model.js';
import { storeOnDouble } from '../stores/event-store/eventstoredb/support.js';
import { onMongoDb } from '../support/mongodb/on-mongodb.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import type { AuditedStores } from './organisation-history.js';

/** Runs a suite on the embedded stores, and on EventStoreDB with MongoDB. */
export function onBothStores(title: string, suite: (open: () => Promise<AuditedStores>) => void): void {
  describe(`${title}, on SQLite`, () => {
    suite(async () => {
      const directory = temporaryDirectory();
      const store = openSqliteEventStore({ directory });
      const readModel = openSqliteReadModel({ directory });
      return {
        store,
        readModel,
        async close() {
          await readModel.close();
          await store.close();
        },
      };
    });
  });

  onMongoDb(`${title}, on EventStoreDB and MongoDB`, (mongoDb) => {
    describe(`${title}, on EventStoreDB and MongoDB`, () => {
      suite(async () => {
        const { store, close } = await storeOnDouble();
        const readModel = openMongoReadModel(mongoDb.database(randomUUID()));
        return {
          store,
          readModel,
          async close() {
            await readModel.close();
            await close();
          },
        };
      });
    });
  });
}
