import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { MongoDbServer } from '../../support/mongodb/mongodb-server.js';
import { onMongoDb, onStoppableMongoDb } from '../../support/mongodb/on-mongodb.js';
import { startMongoDb } from '../../support/mongodb/start-mongodb.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import { scrape } from '../../support/service/metrics.js';
import type { ServiceProcess } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const limit = 50;

onMongoDb('rate limits of several instances', (mongoDb) => {
  describe('rate limits of several instances', function () {
    this.timeout(240_000);
    let ownMongoDb: MongoDbServer;
    let cluster: Cluster;
    let instances: ServiceProcess[];

    before(async () => {
      ownMongoDb = await startMongoDb(); // a test stops it
      cluster = await startCluster(mongoDb, ownMongoDb.url);
      const environment = { RATE_LIMIT_EVENTS: `${limit}/10m`, MAX_LISTENERS: '100' };
      instances = await cluster.startInstances(environment, environment);
    });
    after(async () => {
      await cluster.close();
      await ownMongoDb.stop?.();
    });

    const publish = async (index: number, orgId: string) => {
      const json = { orgId, type: 'flow.done', data: {} };
      return (await instances[index]?.fetch('/api/flows', { json }))?.status;
    };

    it('are one limit: what one instance counts, the others know within a moment', async () => {
      const orgId = randomUUID();
      for (let event = 0; event < limit; event += 1) expect(await publish(0, orgId)).to.equal(202);
      expect(await publish(0, orgId)).to.equal(429);
      let accepted = 0;
      await until(
        async () => {
          const status = await publish(1, orgId);
          if (status === 202) accepted += 1;
          return status === 429;
        },
        'the other instance to know',
        { everyMs: 50 },
      );
      expect(accepted, 'events beyond the limit').to.be.at.most(limit / 2);
    });

    onStoppableMongoDb(() => {
      it('are those of each instance while MongoDB is down, which is counted, and logged once for each reason', async () => {
        await ownMongoDb.stop?.();
        const orgId = randomUUID();
        for (const index of [0, 1]) {
          for (let event = 0; event < limit; event += 1) expect(await publish(index, orgId)).to.equal(202);
          expect(await publish(index, orgId)).to.equal(429);
        }
        const failures = async () =>
          (await scrape(instances[0] as ServiceProcess)).get(
            'flow_hooks_limit_store_failures_total{limit="rate-counts"}',
          );
        await until(async () => ((await failures()) ?? 0) > 1, 'several failures');
        const lines = instances[0]?.printed().match(/^.*sharing the counts of rate limits is failing.*$/gm) ?? [];
        const reasons = lines.map((line) => (JSON.parse(line) as { err: { message: string } }).err.message);
        expect(reasons).to.not.deep.equal([]);
        expect(reasons, 'one line for each reason').to.deep.equal([...new Set(reasons)]);

        const subscribed = await instances[0]?.fetch('/api/hooks/subscribe/flows', {
          headers: { orgid: orgId, userid: 'ada' },
          json: { hookUrl: 'http://127.0.0.1:4999/hook', subscriptionType: 'flow.*' },
        });
        expect(subscribed?.status, 'the quota is not applied').to.equal(201);
      });
    });
  });
});
