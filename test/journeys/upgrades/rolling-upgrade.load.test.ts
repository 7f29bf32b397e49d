import { expect } from 'chai';
import { recordHandOvers } from '../../support/deliveries/hand-overs.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { startListenerLoad } from '../../support/receivers-of-listeners/listener-load.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { nextRelease } from '../../support/releases/next-release.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import type { ServiceProcess } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const background = { ROLES: 'projector,dispatcher' };
const api = { ROLES: 'api' };

onMongoDb('a rolling upgrade of three instances', (mongoDb) => {
  describe('a rolling upgrade of three instances on EventStoreDB and MongoDB, under load', function () {
    this.timeout(600_000);
    let cluster: Cluster;
    let receiver: Receiver;
    let instances: ServiceProcess[] = [];

    beforeEach(async () => {
      receiver = await startReceiver(0, { keepAlive: false });
      cluster = await startCluster(mongoDb);
    });
    afterEach(async () => {
      await cluster.close();
      await receiver.close();
    });

    /**
     * Starts instances with these roles, replaces them one after the other in the order of `steps`, each when the one before is ready,
     * and compares what listeners got with what was accepted. A step names the instance and the program that comes in its place.
     */
    async function replace(
      roles: readonly Readonly<Record<string, string>>[],
      steps: readonly (readonly [index: number, main: string | undefined])[],
    ): Promise<void> {
      const handOvers = recordHandOvers(Number(new URL(receiver.origin).port));
      const environments = roles.map((each) => ({ ...handOvers.environment, ...each }));
      instances = await cluster.startInstances(...environments);
      let stopping: ServiceProcess | undefined;
      const serves = (instance: ServiceProcess) =>
        instance !== stopping && roles[instances.indexOf(instance)]?.ROLES !== background.ROLES;
      const load = startListenerLoad({ instances: () => instances.filter(serves), receiver });
      const isReady = async (instance: ServiceProcess) =>
        (await instance.fetch('/readyz').catch(() => undefined))?.status === 200;

      await load.keepListener();
      await load.goesOn();
      for (const [index, main] of steps) {
        // As in Kubernetes: a new instance is ready before an old one stops, which gets no more requests.
        const next = await cluster.startInstance(environments[index], main);
        await until(() => isReady(next), 'the new instance to be ready', { limitMs: 120_000 });
        stopping = instances[index];
        instances[index] = next;
        expect(await stopping?.stop()).to.deep.equal({ code: 0, signal: null });
        await load.keepListener();
        await load.goesOn();
      }
      await load.end();

      const { accepted, owed, lost, strayed, disordered, duplicates, gone, raced } = await load.settled(90_000);
      const goneAt = new Map(gone.map((each) => [each.url, each.goneAt ?? 0n]));
      const started = handOvers.read();
      const late = started.filter(({ url, atNs }) => atNs > (goneAt.get(url) ?? atNs));
      console.log(
        `      accepted ${accepted}, delivered ${owed - lost.length} of ${owed} to the listeners that stayed, lost ${lost.length}, ` +
          `duplicates ${duplicates}, posts after unsubscribe ${late.length}, unsubscribes raced ${raced} of ${gone.length}`,
      );
      expect({ lost, strayed, disordered, late }).to.deep.equal({ lost: [], strayed: [], disordered: [], late: [] });
      expect(duplicates, 'every instance was stopped, not killed: its posts ended').to.equal(0);
      expect(raced, 'unsubscribes in the midst of events').to.be.greaterThan(0);
      expect(started.length, 'posts that were seen to start').to.be.at.least(receiver.received.length);
    }

    it('to a new version of a view and back loses nothing, and delivers nothing twice or after an unsubscribe', async () => {
      const { main } = nextRelease({ events: false });
      const everything = [{}, {}, {}];
      const forth = everything.map((_, index) => [index, main] as const);
      const back = everything.map((_, index) => [index, undefined] as const);
      await replace(everything, [...forth, ...back]);
    });

    it('to a new version of an event does so too: projectors and dispatchers first, back from there, and then the API last', async () => {
      const { main } = nextRelease({ events: true });
      const [there, back] = [[0, main] as const, [0, undefined] as const];
      await replace([background, api], [there, back, there, [1, main]]);
    });
  });
});
