import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Cluster, startCluster } from '../support/cluster.js';
import { probe, publish, refresh, signIn, subscribe, type Tokens, unsubscribe } from '../support/journey.js';
import { onMongoDb } from '../support/mongodb/on-mongodb.js';
import { type Receiver, startReceiver, verify } from '../support/receiver.js';
import type { ServiceProcess } from '../support/service.js';
import { until } from '../support/until.js';

onMongoDb('several instances on EventStoreDB and MongoDB', (mongoDb) => {
  describe('several instances on EventStoreDB and MongoDB', function () {
    this.timeout(180_000);
    let cluster: Cluster;
    let hook: Receiver;
    let instances: ServiceProcess[];

    beforeEach(async () => {
      hook = await startReceiver();
      cluster = await startCluster(mongoDb);
      instances = [];
    });
    afterEach(async () => {
      await Promise.all(instances.map((instance) => instance.stop('SIGKILL')));
      await hook.close();
      await cluster.close();
    });

    async function start(environment?: Readonly<Record<string, string>>): Promise<ServiceProcess> {
      const instance = await cluster.startInstance(environment);
      instances.push(instance);
      return instance;
    }

    const delivered = (): Map<string, number> => {
      const counts = new Map<string, number>();
      for (const { body } of hook.received) {
        const { id } = JSON.parse(body) as { id: string };
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
      return counts;
    };

    const allDelivered = async (what: string, accepted: readonly string[]) => {
      await until(() => accepted.every((id) => delivered().has(id)), `${accepted.length} events at the hook`, {
        limitMs: 120_000,
        everyMs: 100,
      });
      const duplicates = hook.received.length - delivered().size;
      console.log(
        `      ${what}: accepted ${accepted.length}, delivered ${accepted.length}, lost 0, duplicates ${duplicates}`,
      );
    };

    /** Publishes through whichever of them answers, one after another, until it is told to stop. */
    function publishThrough(all: () => readonly ServiceProcess[]) {
      const accepted: string[] = [];
      let over = false;
      const publishing = Array.from({ length: 4 }, async (_, caller) => {
        for (let turn = caller; !over; turn += 1) {
          const instance = all()[turn % all().length];
          const id = instance && (await publish(instance, { type: 'flow.completed', data: {} }).catch(() => undefined));
          if (id === undefined) await pause(20);
          else accepted.push(id);
        }
      });
      return {
        accepted,
        atLeast: (count: number) =>
          until(() => accepted.length >= count, `${count} events to be accepted`, { limitMs: 60_000 }),
        async end() {
          over = true;
          await Promise.all(publishing);
        },
      };
    }

    it('tell the whole story together: what one is told, the others know', async () => {
      const [one, other] = [await start(), await start()];
      const tokens = await signIn(one);
      expect((await probe(other, tokens.access_token)).status).to.equal(200);
      const answers = await Promise.all([one, other, one, other].map((each) => refresh(each, tokens.refresh_token)));
      expect(answers.map(({ status }) => status)).to.eql([200, 200, 200, 200]);
      expect(new Set(answers.map(({ body }) => (body as Tokens).refresh_token)).size).to.equal(1);

      const hookUrl = `${hook.origin}/hook`;
      const { listenerId, signingSecret } = await subscribe(one, hookUrl);
      expect(await subscribe(other, hookUrl)).to.include({ listenerId, signingSecret });
      const id = await publish(other, { type: 'flow.completed', data: { n: 1 } });
      const [delivery] = await hook.has(1);
      if (!delivery) throw new Error('nothing came');
      verify(delivery, signingSecret);
      expect(JSON.parse(delivery.body)).to.deep.include({ id, data: { n: 1 } });

      expect((await unsubscribe(other, hookUrl)).status).to.equal(200);
      await publish(one, { type: 'flow.completed', data: {} });
      await subscribe(one, `${hook.origin}/next`);
      await publish(one, { type: 'flow.completed', data: {} });
      await hook.has(2);
      expect(hook.received.map(({ path }) => path)).to.eql(['/hook', '/next']);
    });

    it('do it each its own part where ROLES says so', async () => {
      const api = await start({ ROLES: 'api' });
      await start({ ROLES: 'projector' });
      const dispatcher = await start({ ROLES: 'dispatcher' });
      await subscribe(api, `${hook.origin}/hook`);
      const id = await publish(api, { type: 'flow.completed', data: {} });
      await allDelivered('three roles', [id]);
      expect((await dispatcher.fetch('/oauth2')).status).to.equal(404);
      expect((await dispatcher.fetch('/healthz')).status).to.equal(200);
    });

    it('deliver all that was accepted, though each of three is killed in turn', async () => {
      for (let count = 0; count < 3; count += 1) await start();
      const [first] = instances;
      if (!first) throw new Error('there are three');
      await subscribe(first, `${hook.origin}/hook`);
      const load = publishThrough(() => instances);
      for (let index = 0; index < 3; index += 1) {
        await load.atLeast((index + 1) * 50);
        await instances[index]?.stop('SIGKILL');
        instances[index] = await cluster.startInstance();
      }
      await load.atLeast(200);
      await load.end();
      await allDelivered('kill -9 in turn', load.accepted);
    });

    it('go on by themselves after each store was restarted, and deliver all that was accepted', async () => {
      const [one] = [await start(), await start()];
      await subscribe(one, `${hook.origin}/hook`);
      const load = publishThrough(() => instances);
      await load.atLeast(50);
      await cluster.eventStoreDb.restart({ keepData: true });
      const afterEvents = load.accepted.length;
      await load.atLeast(afterEvents + 50);
      if (mongoDb.server.restart) {
        await mongoDb.server.restart({ keepData: true });
        const afterViews = load.accepted.length;
        await load.atLeast(afterViews + 50);
      }
      await load.end();
      await allDelivered('stores restarted', load.accepted);
      await until(async () => (await one.fetch('/readyz')).status === 200, 'readiness', { limitMs: 60_000 });
    });
  });
});
