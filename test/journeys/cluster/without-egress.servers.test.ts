import { expect } from 'chai';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import { publish, subscribe } from '../../support/service/journey.js';
import { scrape } from '../../support/service/metrics.js';
import { until } from '../../support/until.js';

onMongoDb('an instance without a network', (mongoDb) => {
  describe('an instance whose network reaches no listener, beside one whose does', function () {
    this.timeout(240_000);
    let cluster: Cluster;
    let receiver: Receiver;

    before(async () => {
      receiver = await startReceiver();
      cluster = await startCluster(mongoDb);
    });
    after(async () => {
      await cluster.close();
      await receiver.close();
    });

    it('gives its partitions up, so that every event arrives, each at its first attempt', async () => {
      const preload = new URL('../../support/deliveries/no-egress.js', import.meta.url).href;
      const { port } = new URL(receiver.origin);
      const noEgress = { NODE_OPTIONS: `--import ${preload}`, NO_EGRESS_PORT: port };
      const [works, cutOff] = await cluster.startInstances({}, noEgress);
      if (!works || !cutOff) throw new Error('two instances were started');
      const partitions = async () => (await scrape(cutOff)).get('flow_hooks_fan_out_partitions');
      await until(async () => (await partitions()) === 16, 'its share of the 32 partitions');
      // So many that some are of its partitions.
      const orgIds = Array.from({ length: 24 }, (_, number) => `without-egress-${number}`);
      for (const orgId of orgIds) {
        await subscribe(works, `${receiver.origin}/${orgId}`, { orgId });
        await publish(works, { orgId, id: orgId, type: 'flow.done', data: {} });
      }
      const arrived = () => new Set(receiver.received.map(({ path }) => path)).size;
      await until(async () => (await partitions()) === 0, 'no partition at the instance', { limitMs: 120_000 });
      await until(() => arrived() === orgIds.length, 'the events of all organisations', { limitMs: 120_000 });
      expect(receiver.received).to.have.length(orgIds.length);
    });
  });
});
