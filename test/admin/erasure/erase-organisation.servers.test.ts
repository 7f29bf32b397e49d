import { randomUUID } from 'node:crypto';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { openMongoReadModel } from '../../../src/views/mongodb/mongodb-read-model.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { storeOnDouble, textsOf } from '../../stores/event-store/eventstoredb/support.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { erasing } from './erasing.js';

describe('erasing an organisation, on SQLite', () => {
  erasing(
    async () => {
      const directory = temporaryDirectory();
      const store = openSqliteEventStore({ directory });
      const queue = openSqliteDeliveryQueue({ directory });
      const readModel = openSqliteReadModel({ directory });
      return {
        store,
        queue,
        readModel,
        async whatIsLeft() {
          const left: { stream: string; text: string }[] = [];
          for await (const { stream, data, metadata } of store.readAll()) {
            left.push({ stream, text: JSON.stringify([data, metadata]) });
          }
          return left;
        },
        async close() {
          for (const each of [readModel, queue, store]) await each.close();
        },
      };
    },
    { stride: 1 },
  );
});

onMongoDb('erasing an organisation, on EventStoreDB and MongoDB', (mongoDb) => {
  describe('erasing an organisation, on EventStoreDB and MongoDB', () => {
    erasing(
      async () => {
        const { store, double, close } = await storeOnDouble();
        const database = mongoDb.database(randomUUID());
        const queue = await openMongoDeliveryQueue(database);
        const readModel = openMongoReadModel(database);
        return {
          store,
          queue,
          readModel,
          async whatIsLeft() {
            double.scavenge();
            return textsOf(double);
          },
          async close() {
            for (const each of [readModel, queue]) await each.close();
            await close();
          },
        };
      },
      { stride: 13 },
    );
  });
});
