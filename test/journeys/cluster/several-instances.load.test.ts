import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { projections } from '../../../projections/index.js';
import { permitMs } from '../../../src/deliveries/worker/gates.js';
import { openEventStoreDb } from '../../../src/stores/event-store/eventstoredb/eventstoredb-event-store.js';
import type { LeaseRecord } from '../../../src/stores/leases/mongodb/lease-records.js';
import { type MongoDatabase, openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import { openMongoReadModel } from '../../../src/views/mongodb/mongodb-read-model.js';
import { recordHandOvers } from '../../support/deliveries/hand-overs.js';
import type { MongoDbServer } from '../../support/mongodb/mongodb-server.js';
import { onMongoDb, onStoppableMongoDb } from '../../support/mongodb/on-mongodb.js';
import { startMongoDb } from '../../support/mongodb/start-mongodb.js';
import { type ListenerLoad, startListenerLoad } from '../../support/receivers-of-listeners/listener-load.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import type { ServiceProcess } from '../../support/service/service.js';
import { until } from '../../support/until.js';
import { freshFold, servedDocuments } from '../../support/views/fresh-fold.js';

onMongoDb('several instances on EventStoreDB and MongoDB', (mongoDb) => {
  describe('several instances on EventStoreDB and MongoDB', function () {
    this.timeout(600_000);
    let ownMongoDb: MongoDbServer;
    let cluster: Cluster;
    let receiver: Receiver;
    let instances: ServiceProcess[];

    before(async () => {
      ownMongoDb = await startMongoDb(); // a test restarts it
    });
    after(async () => {
      await ownMongoDb?.stop?.();
    });
    beforeEach(async () => {
      receiver = await startReceiver(0, { keepAlive: false });
      cluster = await startCluster(mongoDb, ownMongoDb.url);
      instances = [];
    });
    afterEach(async () => {
      await Promise.all(instances.map((instance) => instance.stop('SIGKILL')));
      await receiver.close();
      await cluster.close();
    });

    it('lose no event, keep order, and start no post to a removed listener, while one joins and leaves every 5 s', async () => {
      const handOvers = recordHandOvers(Number(new URL(receiver.origin).port));
      const seconds = Number(process.env.CHURN_SECONDS ?? 20);
      instances = [await cluster.startInstance(handOvers.environment)];
      const load = startListenerLoad({ instances: () => instances, receiver });
      await load.keepListener();
      await load.keepListener();
      const began = performance.now();
      let joined = 0;
      for (; performance.now() - began < seconds * 1_000; joined += 1) {
        const joining = await cluster.startInstance(handOvers.environment);
        instances.push(joining);
        await pause(5_000);
        instances.pop();
        await joining.stop();
        await pause(5_000);
      }
      await load.goesOn();
      await load.end();
      console.log(`      ${joined} instances joined and left within ${seconds} s`);
      await expectKept(load, handOvers);
    });

    async function expectKept(load: ListenerLoad, handOvers: ReturnType<typeof recordHandOvers>): Promise<void> {
      const { accepted, owed, lost, strayed, disordered, duplicates, gone, raced } = await load.settled(90_000);
      const goneAt = new Map(gone.map((each) => [each.url, each.goneAt ?? 0n]));
      const started = handOvers.read();
      const late = started.filter(({ url, atNs }) => atNs > (goneAt.get(url) ?? atNs));
      console.log(
        `      accepted ${accepted}, delivered ${owed - lost.length} of ${owed} to the listeners that stayed, lost ${lost.length}, ` +
          `duplicates ${duplicates}, posts after unsubscribe ${late.length}, unsubscribes raced ${raced} of ${gone.length}`,
      );
      expect({ lost, strayed, disordered, late }).to.deep.equal({ lost: [], strayed: [], disordered: [], late: [] });
      expect(raced, 'unsubscribes in the midst of events').to.be.greaterThan(0);
      expect(started.length, 'posts that were seen to start').to.be.at.least(receiver.received.length);
    }

    onStoppableMongoDb(() => {
      it('lose no event, and start no post to a removed listener, when any of them dies or freezes', async () => {
        const handOvers = recordHandOvers(Number(new URL(receiver.origin).port));
        instances = await cluster.startInstances(...Array.from({ length: 3 }, () => handOvers.environment));
        let paused: ServiceProcess | undefined;
        const load = startListenerLoad({
          instances: () => instances.filter((instance) => instance !== paused),
          receiver: receiver,
        });
        const database = openMongoDb({ url: cluster.environment.MONGODB_URL ?? '' });

        const allReady = () =>
          until(
            async () => {
              const answers = await Promise.all(
                instances.map((instance) => instance.fetch('/readyz').catch(() => null)),
              );
              return answers.every((answer) => answer?.status === 200);
            },
            'all instances to be ready',
            { everyMs: 50 },
          );

        /** Waits until the service has recovered from a disturbance, and registers another listener. */
        async function recovered(): Promise<void> {
          await allReady();
          await load.keepListener();
          await load.goesOn();
        }

        async function standStill(instance: ServiceProcess, whilst: () => Promise<unknown>): Promise<void> {
          paused = instance;
          process.kill(instance.pid, 'SIGSTOP');
          await whilst().finally(() => process.kill(instance.pid, 'SIGCONT'));
          paused = undefined;
        }

        const fanningOut = async () => {
          const { holder } = (await database.db.collection<LeaseRecord>('leases').findOne({ _id: 'fan-out/0' })) ?? {};
          return instances.find(({ pid }) => holder?.includes(`/${pid}/`));
        };
        async function leaderAndFollower(): Promise<readonly [leader: ServiceProcess, follower: ServiceProcess]> {
          // None while the partition moves from one to another.
          let leader: ServiceProcess | undefined;
          await until(async () => {
            leader = await fanningOut();
            return leader !== undefined;
          }, 'an instance that fans out');
          const follower = instances.find((instance) => instance !== leader);
          if (!leader || !follower) throw new Error('no instance fans out');
          return [leader, follower];
        }

        await recovered();
        for (const killed of await leaderAndFollower()) {
          await killed.stop('SIGKILL');
          instances[instances.indexOf(killed)] = await cluster.startInstance(handOvers.environment);
          await recovered();
        }
        const [leader, follower] = await leaderAndFollower();
        await standStill(follower, () => pause(permitMs * (1 + Math.random())));
        await load.goesOn();
        const takenOver = async () => ![leader, undefined].includes(await fanningOut());
        await standStill(leader, () => until(takenOver, 'another to take over'));
        await recovered();
        await cluster.eventStoreDb.restart({ keepData: true });
        await recovered();
        await ownMongoDb.restart?.({ keepData: true });
        await recovered();
        await load.end();

        await expectKept(load, handOvers);
        await viewsEqualHistory(database);
        await database.close();
      });

      /** Document by document, once the views have come as far as the history. */
      async function viewsEqualHistory(database: MongoDatabase): Promise<void> {
        const store = openEventStoreDb({ url: cluster.eventStoreDb.url });
        for (const projection of projections) {
          const rebuilt = await freshFold(store, projection);
          const live = () => servedDocuments(openMongoReadModel(database), projection);
          const equal = async () => isDeepStrictEqual(await live(), rebuilt);
          await until(equal, 'the view').catch(() => undefined); // the difference is reported below
          expect(await live(), projection.name).to.deep.equal(rebuilt);
        }
        await store.close();
      }
    });
  });
});
