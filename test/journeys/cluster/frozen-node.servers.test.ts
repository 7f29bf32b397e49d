import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type EventStoreCluster, startEventStoreCluster } from '../../eventstoredb-double/src/start-cluster.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import {
  type FreezeOutcome,
  freezeRound,
  startListener,
  startOnOneFollower,
} from '../../support/service/freeze-round.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';

onMongoDb('a service with a frozen node of EventStoreDB', (mongoDb) => {
  describe('a service with a frozen node of EventStoreDB', function () {
    this.timeout(240_000);
    let receiver: Receiver;
    let cluster: EventStoreCluster;
    let service: ServiceProcess;

    beforeEach(async () => {
      receiver = await startReceiver();
      cluster = await startEventStoreCluster();
    });
    afterEach(async () => {
      await service.stop('SIGKILL');
      await receiver.close();
      await cluster.stop();
    });

    function start(nodePreference: 'leader' | 'follower'): Promise<ServiceProcess> {
      const mongoDbUrl = new URL(mongoDb.server.url);
      mongoDbUrl.pathname = `/${mongoDb.database(`frozen-node-${randomUUID().slice(0, 8)}`).db.databaseName}`;
      const url = `${cluster.url}&nodePreference=${nodePreference}`;
      return startService({ environment: { EVENTSTOREDB_URL: url, MONGODB_URL: mongoDbUrl.href } });
    }

    function expectRecovered(outcome: FreezeOutcome): void {
      const { appendsAgainMs, eventsAgainMs, published, refused } = outcome;
      console.log(
        `      appends again after ${appendsAgainMs} ms, events at the listener after ${eventsAgainMs} ms, ` +
          `${refused} of ${published} refused, ${outcome.repeated} delivered again`,
      );
      expect(appendsAgainMs).to.be.below(60_000);
      expect(eventsAgainMs).to.be.below(60_000);
      expect(outcome).to.deep.include({ lost: [], isInOrder: true });
    }

    for (const [load, everyMs] of [
      ['one event every 7 s', 7_000],
      ['20 events a second', 50],
    ] as const) {
      it(`continues within seconds at ${load} if it is the leader`, async () => {
        service = await start('leader');
        await startListener(service, receiver);
        const { leader: frozen } = cluster;
        if (!frozen) throw new Error('there is no leader');
        expectRecovered(await freezeRound({ service, cluster, receiver, frozen, everyMs }));
      });
    }

    it('continues within seconds if it is the follower of its subscriptions', async () => {
      const { follower, ...started } = await startOnOneFollower(cluster, receiver, () => start('follower'));
      service = started.service;
      expect(follower.node.subscriptions).to.be.greaterThan(1);
      expectRecovered(await freezeRound({ service, cluster, receiver, frozen: follower, everyMs: 50 }));
    });
  });
});
