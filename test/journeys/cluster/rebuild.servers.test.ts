import { expect } from 'chai';
import { openEventStoreDb } from '../../../src/stores/event-store/eventstoredb/eventstoredb-event-store.js';
import { openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import { openMongoReadModel } from '../../../src/views/mongodb/mongodb-read-model.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { startCluster } from '../../support/service/cluster.js';
import { rebuildStorm } from '../../support/views/rebuild-storm.js';

onMongoDb('rebuilding a view under load', (mongoDb) => {
  describe('rebuilding a view of a service under load, killed at random points, on EventStoreDB and MongoDB', function () {
    this.timeout(480_000);

    it('ends with the documents that history gives, one by one', async () => {
      const cluster = await startCluster(mongoDb);
      const store = openEventStoreDb({ url: cluster.eventStoreDb.url });
      const database = openMongoDb({ url: cluster.environment.MONGODB_URL ?? '' });
      const { resumed } = await rebuildStorm({
        place: cluster.environment,
        store,
        readModel: openMongoReadModel(database),
        startService: cluster.startInstance,
        listeners: 1_000,
        rounds: 2,
      });
      expect(resumed, 'continued rebuilds').to.be.greaterThan(0);
      await store.close();
      await database.close();
      await cluster.close();
    });
  });
});
