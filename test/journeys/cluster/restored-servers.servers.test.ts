import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Db } from 'mongodb';
import { openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import { startEventStoreDouble } from '../../eventstoredb-double/src/start-double.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { type Cluster, startCluster } from '../../support/service/cluster.js';
import { publish, subscribe, unsubscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startRefused } from '../../support/service/service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

/** Copies as tools for databases do. */
async function copyDatabase(from: Db, to: Db): Promise<void> {
  for (const { name } of await from.listCollections({}, { nameOnly: true }).toArray()) {
    const documents = await from.collection(name).find().toArray();
    if (documents.length > 0) await to.collection(name).insertMany(documents);
  }
}

const idOf = ({ body }: { body: string }): string => (JSON.parse(body) as { id: string }).id;

onMongoDb('servers that are restored from copies', (mongoDb) => {
  describe('servers that are restored from copies of different ages', function () {
    this.timeout(240_000);
    const directory = temporaryDirectory();
    const dataFile = join(directory, 'events.jsonl');
    let receiver: Receiver;
    let cluster: Cluster;
    let service: ServiceProcess;

    before(async () => {
      receiver = await startReceiver();
      cluster = await startCluster(mongoDb, undefined, { dataFile });
      service = await cluster.startInstance({ DELIVERY_CONCURRENCY: '8' });
    });
    after(async () => {
      await receiver.close();
      await cluster.close();
    });

    /** A consistent copy: nothing is written meanwhile. */
    async function copyMongoDb(place: string): Promise<string> {
      const url = new URL(cluster.environment.MONGODB_URL ?? '');
      const original = openMongoDb({ url: url.href });
      const copy = mongoDb.database(place).db;
      process.kill(service.pid, 'SIGSTOP');
      await pause(250); // commands under way
      await copyDatabase(original.db, copy);
      process.kill(service.pid, 'SIGCONT');
      await original.close();
      url.pathname = `/${copy.databaseName}`;
      return url.href;
    }

    function copyEventStoreDb(name: string) {
      const copy = join(directory, name);
      copyFileSync(dataFile, copy);
      return () => startEventStoreDouble({ dataFile: copy });
    }

    /** Publishes until it is ended, one event after another. */
    function publishing() {
      const accepted: string[] = [];
      let isOver = false;
      const done = (async () => {
        while (!isOver) accepted.push(await publish(service, { type: 'flow.done', data: {} }));
      })();
      return {
        accepted,
        atLeast: (count: number) => until(() => accepted.length >= count, `${count} events to be accepted`),
        async end() {
          isOver = true;
          await done;
        },
      };
    }

    it('send nothing to a listener removed between the copies, and lose nothing that the history has', async () => {
      await subscribe(service, `${receiver.origin}/staying`);
      await subscribe(service, `${receiver.origin}/removed`);
      receiver.answer('nothing');
      const tooOld = copyEventStoreDb('too-old.jsonl');
      const load = publishing();
      await load.atLeast(20); // most of their deliveries wait, and are due
      await until(() => receiver.received.length > 0, 'the fan-out to have begun'); // or the copy is one of a lost queue
      const mongoDbUrl = await copyMongoDb('restored');
      await load.atLeast(load.accepted.length + 20);
      expect((await unsubscribe(service, `${receiver.origin}/removed`)).status).to.equal(200);
      const before = [...load.accepted];
      const startCopy = copyEventStoreDb('restored.jsonl');
      await load.end();
      await service.stop('SIGKILL');
      const sentBefore = receiver.received.length;

      receiver.answer(200);
      const restored = await startCopy();
      const environment = { EVENTSTOREDB_URL: restored.url, MONGODB_URL: mongoDbUrl };
      const [one] = await cluster.startInstances(environment, environment);
      if (!one) throw new Error('none was started');
      const marker = await publish(one, { type: 'flow.done', data: {} });
      const since = () => receiver.received.slice(sentBefore);
      const arrived = () => new Set(since().map(idOf));
      await until(() => [...before, marker].every((id) => arrived().has(id)), 'all events of the copies', {
        limitMs: 60_000,
      });
      expect(since().filter(({ path }) => path === '/removed')).to.deep.equal([]);

      const older = await tooOld();
      const refused = await startRefused({ ...cluster.environment, ...environment, EVENTSTOREDB_URL: older.url });
      expect(refused.code).to.equal(1);
      expect(refused.printed).to.match(
        /MongoDB knows events up to position \d+, and EventStoreDB ends at \d+: restore/,
      );
      await older.stop();
      await restored.stop();
    });
  });
});
