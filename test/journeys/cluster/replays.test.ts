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

    const adminKey = () =>
      `Bearer ${readFileSync(join(String(instances[0]?.dataDirectory), 'admin-key.txt'), 'utf8').trim()}`;

    it('is carried on by another instance where its own dies, and each event is sent once', async () => {
      const [one, other] = instances as [ServiceProcess, ServiceProcess];
      const authorization = adminKey();
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
      instances = [stays, await cluster.startInstance()];
    });

    it('and what listeners do are named to operators once each, where the instance that publishes it is killed, and after a rebuild', async () => {
      const headers = { authorization: adminKey() };
      const [one, other] = instances as [ServiceProcess, ServiceProcess];
      const admin = async (instance: ServiceProcess, path: string, json: object) =>
        (await instance.fetch(`/admin/api${path}`, { headers, json })).body as Readonly<Record<string, string>>;
      for (const subscriptionType of ['listener.*', 'replay.finished'])
        await admin(one, '/operations/subscribe', {
          hookUrl: `${receiver.origin}/${subscriptionType}`,
          subscriptionType,
        });
      const listeners: string[] = [];
      for (let n = 0; n < 10; n += 1)
        listeners.push((await subscribe(one, `${receiver.origin}/watched/${n}`, { orgId: 'watched' })).listenerId);
      const leads = async (instance: ServiceProcess) =>
        (await scrape(instance)).get('flow_hooks_lease_held{lease="operational-events"}') === 1;
      await until(async () => (await leads(one)) || (await leads(other)), 'an instance to have the lease');
      const [dies, stays] = (await leads(one)) ? [one, other] : [other, one];
      await Promise.all(listeners.slice(0, 5).map((id) => admin(dies, `/listeners/${id}/pause`, {})));
      await dies.stop('SIGKILL');
      await Promise.all(listeners.slice(5).map((id) => admin(stays, `/listeners/${id}/pause`, {})));
      const replay = await admin(stays, '/replays', { orgId, hookUrl: `${receiver.origin}/early`, eventId: 'e-1' });

      type Named = { id: string; data: Readonly<Record<string, string>> };
      const named = (path: string) =>
        receiver.received.filter((post) => post.path === path).map(({ body }) => JSON.parse(body) as Named);
      const paused = () => new Set(named('/listener.*').map(({ data }) => data.listenerId));
      await until(() => listeners.every((id) => paused().has(id)), 'all pauses', { limitMs: 90_000 });
      await until(() => named('/replay.finished').length > 0, 'the end of the replay', { limitMs: 60_000 });
      await runCliForJson(cluster.environment, 'projections', 'rebuild', 'listeners');
      await admin(stays, `/listeners/${listeners[0]}/resume`, {});
      const ids = (path: string) => new Set(named(path).map(({ id }) => id));
      await until(() => ids('/listener.*').size > listeners.length, 'the resume', { limitMs: 60_000 });
      expect(ids('/listener.*').size).to.equal(listeners.length + 1);
      expect(ids('/replay.finished').size).to.equal(1);
      expect(named('/replay.finished')[0]?.data).to.include({ replayId: replay.id, outcome: 'completed' });
    });
  });
});
