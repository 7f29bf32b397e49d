import { expect } from 'chai';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import { publish, subscribe } from '../../support/service/journey.js';
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
      const [works] = await cluster.startInstances({}, { NODE_OPTIONS: `--import ${preload}`, NO_EGRESS_PORT: port });
      if (!works) throw new Error('no instance was started');
      const orgIds = Array.from({ length: 12 }, (_, number) => `without-egress-${number}`);
      for (const orgId of orgIds) {
        await subscribe(works, `${receiver.origin}/${orgId}`, { orgId });
        await publish(works, { orgId, id: orgId, type: 'flow.done', data: {} });
      }
      const arrived = () => new Set(receiver.received.map(({ path }) => path)).size;
      await until(() => arrived() === orgIds.length, 'the events of all organisations', { limitMs: 120_000 });
      expect(receiver.received).to.have.length(orgIds.length);
    });
  });
});
