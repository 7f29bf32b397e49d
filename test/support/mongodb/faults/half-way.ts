import { openMongoDb } from '../../../../src/stores/mongodb/mongodb-database.js';
import { startCluster } from '../../service/cluster.js';
import { onMongoDb } from '../on-mongodb.js';

console.log(`process ${process.pid}`);

/**
 * Failing tests that `databases-left.servers.test.ts` runs in a process of their own, to check that they leave no database
 * behind.
 */
onMongoDb('tests that fail half-way', (mongoDb) => {
  it('fails with a database', async () => {
    await mongoDb.database('half-way').db.collection('rows').insertOne({});
    throw new Error('half-way');
  });

  it('fails with a cluster one of whose instances runs', async () => {
    const { environment, startInstance } = await startCluster(mongoDb);
    await startInstance();
    const database = openMongoDb({ url: environment.MONGODB_URL ?? '' });
    const collections = await database.db.listCollections().toArray();
    await database.close();
    throw new Error(`half-way, with ${collections.length > 0 ? 'a' : 'no'} database`);
  });
});
