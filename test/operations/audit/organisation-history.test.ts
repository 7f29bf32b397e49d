import { randomUUID } from 'node:crypto';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { openMongoReadModel } from '../../../src/stores/read-model/mongodb/mongodb-read-model.js';
import { openSqliteReadModel } from '../../../src/stores/read-model/sqlite/sqlite-read-model.js';
import { storeOnDouble } from '../../stores/event-store/eventstoredb/support.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { organisationDifference } from './organisation-difference.js';
import { type AuditedStores, organisationHistory } from './organisation-history.js';

const suites = (open: () => Promise<AuditedStores>): void => {
  organisationHistory(open);
  organisationDifference(open);
};

describe('an audit of one organisation, on SQLite', () => {
  suites(async () => {
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

onMongoDb('an audit of one organisation, on EventStoreDB and MongoDB', (mongoDb) => {
  describe('an audit of one organisation, on EventStoreDB and MongoDB', () => {
    suites(async () => {
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
