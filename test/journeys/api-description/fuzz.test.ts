import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { notRun } from '../../support/not-run.js';
import { fuzzRoutes } from '../../support/schemathesis/fuzz-routes.js';
import { installSchemathesis } from '../../support/schemathesis/install-schemathesis.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import { startService } from '../../support/service/service.js';

const limitMs = 600_000;
const missing = schemathesisMissing();

if (missing) {
  notRun('generated requests to every route, by schemathesis', missing);
} else {
  describe('generated requests to every route, on the embedded store', function () {
    this.timeout(limitMs);
    fuzzRoutes((environment) => startService({ environment }), 20);
  });

  onMongoDb('generated requests to every route', (mongoDb) => {
    describe('generated requests to every route, on EventStoreDB and MongoDB', function () {
      this.timeout(limitMs);
      let cluster: Cluster;
      before(async () => {
        cluster = await startCluster(mongoDb);
      });
      after(() => cluster.close());
      fuzzRoutes((environment) => cluster.startInstance(environment), 5);
    });
  });
}

function schemathesisMissing(): Error | undefined {
  try {
    installSchemathesis();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
