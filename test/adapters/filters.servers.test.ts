import { openMongoDeliveryQueue } from '../../src/queue/mongodb/mongodb-delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../src/queue/sqlite/sqlite-delivery-queue.js';
import { openMongoReadModel } from '../../src/views/mongodb/mongodb-read-model.js';
import { openSqliteReadModel } from '../../src/views/sqlite/sqlite-read-model.js';
import { filtersContract } from '../contract/filters.js';
import { onMongoDb } from '../support/mongodb/on-mongodb.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const embedded = async () => {
  const directory = temporaryDirectory();
  return { readModel: openSqliteReadModel({ directory }), queue: openSqliteDeliveryQueue({ directory }) };
};
filtersContract('SQLite', embedded, { numRuns: 20 });

onMongoDb('filters', ({ database }) =>
  filtersContract(
    'MongoDB',
    async (place) => ({
      readModel: openMongoReadModel(database(place)),
      queue: await openMongoDeliveryQueue(database(place)),
    }),
    { numRuns: 3 },
  ),
);
