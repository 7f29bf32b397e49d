import { expect } from 'chai';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import { until } from '../../support/until.js';

onMongoDb('instances with different numbers of partitions', (mongoDb) => {
  describe('two instances with different numbers of partitions', function () {
    this.timeout(240_000);
    let cluster: Cluster;

    before(async () => {
      cluster = await startCluster(mongoDb);
      await cluster.startInstance({ ROLES: 'api' }); // makes the keys
    });
    after(() => cluster.close());

    it('do not both deliver, although neither was the first to start', async () => {
      const numbers = ['8', '16'];
      const starts = await Promise.allSettled(
        numbers.map((number) => cluster.startInstance({ ROLES: 'dispatcher', FAN_OUT_PARTITIONS: number })),
      );
      const printed = () => starts.map((start) => ('value' in start ? start.value.printed() : String(start.reason)));
      const isRefused = (text: string) => /FAN_OUT_PARTITIONS is (8|16), but this queue has (8|16)/.test(text);
      await until(() => printed().some(isRefused), 'one to be refused');
      const refused = starts[printed().findIndex(isRefused)];
      if (refused && 'value' in refused) expect((await refused.value.stop('SIGCONT')).code).to.equal(1); // it ends by itself
      expect(printed().filter(isRefused)).to.have.length(1);
    });
  });
});
