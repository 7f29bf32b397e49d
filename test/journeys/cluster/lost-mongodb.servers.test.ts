import { expect } from 'chai';
import { openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../../support/service/administrator.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import { publish, subscribe, unsubscribe } from '../../support/service/journey.js';
import type { ServiceProcess } from '../../support/service/service.js';
import { until } from '../../support/until.js';

type Part = { part: string; reason?: string };

onMongoDb('losing the MongoDB database alone', (mongoDb) => {
  describe('losing the MongoDB database alone', function () {
    this.timeout(360_000);
    let cluster: Cluster;
    let receiver: Receiver;
    let instances: ServiceProcess[];

    beforeEach(async () => {
      receiver = await startReceiver();
      cluster = await startCluster(mongoDb);
      instances = [];
    });
    afterEach(async () => {
      await receiver.close();
      await cluster.close();
    });

    /** Ends the running instances, as a rolling restart would, and starts as many. */
    async function restart(environment: Readonly<Record<string, string>> = {}): Promise<void> {
      const environments = instances.map(() => environment);
      await Promise.all(instances.map((instance) => instance.stop()));
      instances = await cluster.startInstances(...environments);
    }

    function one(): ServiceProcess {
      const [first] = instances;
      if (!first) throw new Error('none runs');
      return first;
    }

    async function dropDatabase(): Promise<void> {
      const database = openMongoDb({ url: cluster.environment.MONGODB_URL ?? '' });
      await database.db.dropDatabase();
      await database.close();
    }

    const fanOutReason = async (instance: ServiceProcess): Promise<string | undefined> => {
      const { body } = await instance.fetch('/readyz');
      return (body as { parts: readonly Part[] }).parts.find(({ part }) => part === 'fan-out')?.reason;
    };

    /** True of one of the instances: they agree which one fans out. */
    const saysThatDeliveriesAreLost = () =>
      until(
        async () =>
          (await Promise.all(instances.map(fanOutReason))).some((reason) =>
            reason?.startsWith('the deliveries of the queue were lost'),
          ),
        '/readyz to say that deliveries are lost',
        { everyMs: 50 },
      );

    const ready = () =>
      until(
        async () =>
          (await Promise.all(instances.map((each) => each.fetch('/readyz')))).every((each) => each.status === 200),
        'readiness',
        { everyMs: 50 },
      );

    const happens = (event: string) => publish(one(), { type: `flow.${event}`, data: {} });

    /** The types of the events that came, in the order of their coming, and at which path. */
    const arrivals = () =>
      receiver.received.map(({ path, body }) => `${(JSON.parse(body) as { type: string }).type} at ${path}`);
    const arrived = (...expected: readonly string[]) =>
      until(() => expected.every((each) => arrivals().includes(each)), expected.join(', '));

    /** A listener that stays, and one that is removed after both got `flow.first`. */
    async function begin(): Promise<void> {
      instances = [await cluster.startInstance()];
      await subscribe(one(), `${receiver.origin}/staying`);
      await subscribe(one(), `${receiver.origin}/removed`);
      await happens('first');
      await arrived('flow.first at /staying', 'flow.first at /removed');
      expect((await unsubscribe(one(), `${receiver.origin}/removed`)).status).to.equal(200);
    }

    const viewsAreBuiltAnew = () =>
      until(
        async () => {
          const { status, body } = await administratorOf(one).get('/listeners?orgId=acme');
          return status === 200 && (body as { items: readonly object[] }).items.length === 1;
        },
        'the view of listeners',
        { everyMs: 200 },
      );

    it('while instances run: views come back, nothing is sent again, and `end` goes on with what is new', async () => {
      await begin();
      receiver.answer(503);
      await happens('waiting'); // for its next attempt, when the queue goes
      await arrived('flow.waiting at /staying');
      receiver.answer(200);
      await dropDatabase();
      await saysThatDeliveriesAreLost();
      await viewsAreBuiltAnew();
      expect((await one().fetch('/healthz')).status).to.equal(200);
      await happens('unsent'); // is accepted, and kept in the history

      await restart({ FAN_OUT_FROM: 'end' });
      await ready();
      await happens('new');
      await arrived('flow.new at /staying');
      expect(arrivals().toSorted()).to.deep.equal([
        'flow.first at /removed',
        'flow.first at /staying',
        'flow.new at /staying',
        'flow.waiting at /staying',
      ]);

      await restart();
      await ready();
      await happens('later');
      await arrived('flow.later at /staying');
      expect(receiver.received.length, 'the setting has had its effect once').to.equal(5);
    });

    it('while none runs: a position sends later events, and nothing to a removed listener', async () => {
      await begin();
      const position = await cluster.head();
      await happens('after');
      await arrived('flow.after at /staying');
      await Promise.all(instances.map((instance) => instance.stop()));
      await dropDatabase();

      await restart();
      await saysThatDeliveriesAreLost();
      await viewsAreBuiltAnew();
      expect(receiver.received.length, 'nothing by itself').to.equal(3);

      await restart({ FAN_OUT_FROM: `${position}` });
      await ready();
      await until(() => receiver.received.length === 4, 'what came after the position');
      const [, , delivered, again] = receiver.received;
      expect(again?.headers['webhook-id']).to.equal(delivered?.headers['webhook-id']);
      await happens('new');
      await arrived('flow.new at /staying');
      expect(arrivals().slice(3)).to.deep.equal(['flow.after at /staying', 'flow.new at /staying']);
    });

    it('from the `beginning`, no listener gets anything that was removed by then', async () => {
      await begin();
      await dropDatabase();
      await saysThatDeliveriesAreLost();
      await restart({ FAN_OUT_FROM: 'beginning' });
      await ready();
      await happens('new');
      await until(() => receiver.received.length === 4, 'what happened since the beginning');
      expect(arrivals().slice(2).toSorted()).to.deep.equal(['flow.first at /staying', 'flow.new at /staying']);
    });
  });
});
