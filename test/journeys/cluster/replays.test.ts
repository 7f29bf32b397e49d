import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { runCliForJson } from '../../support/service/cli.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import { publish, subscribe } from '../../support/service/journey.js';
import { scrape } from '../../support/service/metrics.js';
import type { ServiceProcess } from '../../support/service/service.js';
import { until } from '../../support/until.js';

onMongoDb('replaying where instances share the work', (mongoDb) => {
  describe('a replay', function () {
    this.timeout(360_000);
    const orgId = 'acme';
    const count = 40;
    let cluster: Cluster;
    let receiver: Receiver;
    let instances: ServiceProcess[];

    before(async () => {
      receiver = await startReceiver();
      cluster = await startCluster(mongoDb);
      instances = await cluster.startInstances({}, {});
    });
    after(async () => {
      await receiver.close();
      await cluster.close();
    });

    const idsAt = (path: string) =>
      receiver.received.filter((post) => post.path === path).map(({ body }) => (JSON.parse(body) as { id: string }).id);

    async function runs(instance: ServiceProcess): Promise<boolean> {
      return (await scrape(instance)).get('flow_hooks_lease_held{lease="replays"}') === 1;
    }

    it('is carried on by another instance where its own dies, and each event is sent once', async () => {
      const [one, other] = instances as [ServiceProcess, ServiceProcess];
      const authorization = `Bearer ${readFileSync(join(one.dataDirectory, 'admin-key.txt'), 'utf8').trim()}`;
      await subscribe(one, `${receiver.origin}/early`, { orgId });
      for (let n = 0; n < count; n += 1) await publish(one, { orgId, id: `e-${n}`, type: 'flow.completed', data: n });
      await until(() => new Set(idsAt('/early')).size === count, 'all to be delivered', { limitMs: 60_000 });
      const { listenerId } = await subscribe(one, `${receiver.origin}/late`, { orgId });
      await until(async () => (await runs(one)) || (await runs(other)), 'an instance to have the lease');

      const { status, body } = await one.fetch('/admin/api/replays', {
        headers: { authorization },
        json: { orgId, listenerId, ratePerSecond: 5 },
      });
      expect(status, JSON.stringify(body)).to.equal(201);
      const { id } = body as { id: string };
      await until(() => idsAt('/late').length >= 5, 'its first deliveries', { limitMs: 60_000 });
      const [dies, stays] = (await runs(one)) ? [one, other] : [other, one];
      await dies.stop('SIGKILL');
      expect(idsAt('/late').length).to.be.lessThan(count);

      const show = async () =>
        (await stays.fetch(`/admin/api/replays/${id}`, { headers: { authorization } })).body as Record<string, unknown>;
      await until(async () => (await show()).state === 'completed', 'the replay to complete', { limitMs: 90_000 });
      expect(await show()).to.include({ lookedAt: count, enqueued: count, percent: 100 });
      await until(() => new Set(idsAt('/late')).size === count, 'all events', { limitMs: 60_000 });
      expect(idsAt('/early'), 'other listeners get nothing').to.have.length(count);
      const [explained] = await runCliForJson(
        cluster.environment,
        ...['flows', 'explain', 'e-1', '--org', orgId, '--listener', listenerId],
      );
      expect(explained).to.include({ outcome: 'delivered', listenerId });
    });
  });
});
