import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { fuzzRoutes } from '../../support/schemathesis/fuzz-routes.js';
import { withSchemathesis } from '../../support/schemathesis/with-schemathesis.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';

onMongoDb('generated requests to every route', (mongoDb) => {
  withSchemathesis('generated requests to every route, on EventStoreDB and MongoDB', () => {
    let cluster: Cluster;
    before(async () => {
      cluster = await startCluster(mongoDb);
    });
    after(() => cluster.close());
    fuzzRoutes((environment) => cluster.startInstance(environment), {
      maxExamples: 1,
      coverage: false,
      eachCredential: false,
    });
  });
});
