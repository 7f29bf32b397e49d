import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import type { ServiceProcess } from '../../support/service/service.js';
import { samplesSuite } from '../publishing/samples-suite.js';

onMongoDb('samples of an organisation on EventStoreDB and MongoDB', (mongoDb) => {
  describe('samples of an organisation on EventStoreDB and MongoDB', function () {
    this.timeout(240_000);
    let cluster: Cluster;
    let service: ServiceProcess;

    before(async () => {
      cluster = await startCluster(mongoDb);
      service = await cluster.startInstance();
    });
    after(async () => {
      await cluster.close();
    });

    samplesSuite({
      service: () => service,
      async restart(environment) {
        await service.stop();
        service = await cluster.startInstance(environment);
      },
    });
  });
});
