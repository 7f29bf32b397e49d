import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { type Receiver, startHeldReceiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { runCliForJson } from '../../support/service/cli.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import { publish, subscribe } from '../../support/service/journey.js';
import { scrape } from '../../support/service/metrics.js';
import type { ServiceProcess } from '../../support/service/service.js';
import { until } from '../../support/until.js';

/** Environment in which failing listeners use up the attempts of a delivery and are paused at once. */
const environment = { RETRY_SCHEDULE: '100ms', AUTO_PAUSE_AFTER: '1s' };

onMongoDb('replaying where instances share the work', (mongoDb) => {
  describe('a replay', function () {
    this.timeout(360_000);
    const orgId = 'acme';
    const count = 40;
    let cluster: Cluster;
    let receiver: Receiver;
    let broken: Receiver;
    let instances: ServiceProcess[];

    before(async () => {
      receiver = await startReceiver();
      cluster = await startCluster(mongoDb);
      instances = await cluster.startInstances(environment, environment);
      broken = await startReceiver();
      broken.answer(500);
    });
    after(async () => {
      await receiver.close();
      await broken.close();
      await cluster.close();
    });

    const idsAt = (path: string) =>
      receiver.received.filter((post) => post.path === path).map(({ body }) => (JSON.parse(body) as { id: string }).id);

    async function runs(instance: ServiceProcess): Promise<boolean> {
      return (await scrape(instance)).get('flow_hooks_lease_held{lease="replays"}') === 1;
    }

    const adminKey = () =>
      `Bearer ${readFileSync(join(String(instances[0]?.dataDirectory), 'admin-key.txt'), 'utf8').trim()}`;

    const admin = async (instance: ServiceProcess, path: string, json: object) =>
      (await instance.fetch(`/admin/api${path}`, { headers: { authorization: adminKey() }, json })).body as Readonly<
        Record<string, string>
      >;

    it('is carried on by another instance where its own dies, and each event is sent once', async () => {
      const [one, other] = instances as [ServiceProcess, ServiceProcess];
      const authorization = adminKey();
      for (const subscriptionType of ['listener.*', 'delivery.exhausted', 'replay.finished'])
        await admin(one, '/operations/subscribe', {
          hookUrl: `${receiver.origin}/${subscriptionType}`,
          subscriptionType,
        });
      await subscribe(one, `${broken.origin}/`, { orgId: 'exhausting' }); // counted after its minute, below
      for (let n = 0; n < 3; n += 1) await publish(one, { orgId: 'exhausting', type: 'flow.completed', data: n });
      await subscribe(one, `${receiver.origin}/early`, { orgId });
      for (let n = 0; n < count; n += 1) await publish(one, { orgId, id: `e-${n}`, type: 'flow.completed', data: n });
      await until(() => new Set(idsAt('/early')).size === count, 'all to be delivered');
      const { listenerId } = await subscribe(one, `${receiver.origin}/late`, { orgId });
      await until(async () => (await runs(one)) || (await runs(other)), 'an instance to have the lease');

      const { status, body } = await one.fetch('/admin/api/replays', {
        headers: { authorization },
        json: { orgId, listenerId, ratePerSecond: 5 },
      });
      expect(status, JSON.stringify(body)).to.equal(201);
      const { id } = body as { id: string };
      await until(() => idsAt('/late').length >= 5, 'its first deliveries');
      const [dies, stays] = (await runs(one)) ? [one, other] : [other, one];
      await dies.stop('SIGKILL');
      expect(idsAt('/late').length).to.be.lessThan(count);

      const show = async () =>
        (await stays.fetch(`/admin/api/replays/${id}`, { headers: { authorization } })).body as Record<string, unknown>;
      await until(async () => (await show()).state === 'completed', 'the replay to complete', { limitMs: 90_000 });
      expect(await show()).to.include({ lookedAt: count, enqueued: count, percent: 100 });
      await until(() => new Set(idsAt('/late')).size === count, 'all events');
      expect(idsAt('/early'), 'other listeners get nothing').to.have.length(count);
      const [explained] = await runCliForJson(
        cluster.environment,
        ...['flows', 'explain', 'e-1', '--org', orgId, '--listener', listenerId],
      );
      expect(explained).to.include({ outcome: 'delivered', listenerId });
      instances = [stays, await cluster.startInstance(environment)];
    });

    it('and what listeners do, their failures and used-up attempts too, are named to operators once each, where the instance that publishes it is killed, and after a rebuild', async () => {
      const [one, other] = instances as [ServiceProcess, ServiceProcess];
      const slow = await startHeldReceiver();
      const failing = await subscribe(one, `${slow.origin}/`, { orgId: 'failing' });
      for (let n = 0; n < 24; n += 1) await publish(one, { orgId: 'failing', type: 'flow.completed', data: n });
      const listeners: string[] = [];
      for (let n = 0; n < 10; n += 1)
        listeners.push((await subscribe(one, `${receiver.origin}/watched/${n}`, { orgId: 'watched' })).listenerId);
      const leads = async (instance: ServiceProcess) =>
        (await scrape(instance)).get('flow_hooks_lease_held{lease="operational-events"}') === 1;
      await until(async () => (await leads(one)) || (await leads(other)), 'an instance to have the lease');
      const [dies, stays] = (await leads(one)) ? [one, other] : [other, one];
      await slow.holds(24); // before the circuit breaker opens
      await slow.release(500, 12);
      await pause(1_200); // what the setting says
      await Promise.all(listeners.slice(0, 5).map((id) => admin(dies, `/listeners/${id}/pause`, {})));
      await slow.release(500);
      const isPaused = async () =>
        (await runCliForJson(cluster.environment, 'listeners', 'list', '--org', 'failing')).some(
          (listener) => (listener as { state: string }).state === 'paused',
        );
      await until(isPaused, 'the pause of the failing listener');
      await dies.stop('SIGKILL');
      await slow.close();
      await Promise.all(listeners.slice(5).map((id) => admin(stays, `/listeners/${id}/pause`, {})));
      const replay = await admin(stays, '/replays', { orgId, hookUrl: `${receiver.origin}/early`, eventId: 'e-1' });

      type Named = { id: string; type: string; data: Readonly<Record<string, string>> };
      const named = (path: string, ofOrg?: string) =>
        receiver.received
          .filter((post) => post.path === path)
          .map(({ body }) => JSON.parse(body) as Named)
          .filter(({ data }) => ofOrg === undefined || data.orgId === ofOrg);
      const paused = () => new Set(named('/listener.*', 'watched').map(({ data }) => data.listenerId));
      await until(() => listeners.every((id) => paused().has(id)), 'all pauses', { limitMs: 90_000 });
      const finished = () => named('/replay.finished').filter(({ data }) => data.replayId === replay.id);
      await until(() => finished().length > 0, 'the end of the replay');
      await runCliForJson(cluster.environment, 'views', 'rebuild', 'listeners');
      await admin(stays, `/listeners/${listeners[0]}/resume`, {});
      const ids = (...of: Parameters<typeof named>) => new Set(named(...of).map(({ id }) => id));
      await until(() => ids('/listener.*', 'watched').size > listeners.length, 'the resume');
      expect(ids('/listener.*', 'watched').size).to.equal(listeners.length + 1);
      expect(new Set(finished().map(({ id }) => id)).size).to.equal(1);
      expect(finished()[0]?.data).to.include({ outcome: 'completed' });

      const steps = new Map(named('/listener.*', 'failing').map((event) => [event.id, event]));
      const noticed = [...steps.values()].filter(({ type }) => type === 'listener.failing');
      expect(noticed.map(({ data }) => data.listenerId)).to.include(failing.listenerId);
      expect(new Set(noticed.map(({ data }) => data.percent)).size, 'each step once').to.equal(noticed.length);
      expect([...steps.values()].filter(({ type }) => type === 'listener.paused')).to.have.length(1);
      await until(() => ids('/delivery.exhausted').size > 0, 'the exhausted deliveries', { limitMs: 120_000 });
      const minutes = new Map(named('/delivery.exhausted', 'exhausting').map(({ data }) => [data.minute, data.count]));
      expect(ids('/delivery.exhausted').size, 'one for each minute').to.equal(minutes.size);
      expect([...minutes.values()].reduce((sum, counted) => sum + Number(counted), 0)).to.be.within(1, 3);
    });
  });
});
