import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { type CommandStartedEvent, MongoClient } from 'mongodb';
import { pino } from 'pino';
import type { Leases, SharedLeases } from '../../../src/stores/leases/leases.js';
import { openMongoLeases } from '../../../src/stores/leases/mongodb/mongodb-leases.js';
import { shareOf } from '../../../src/stores/leases/mongodb/shared-leases.js';
import type { MongoDatabase } from '../../../src/stores/mongodb/mongodb-database.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { until } from '../../support/until.js';

const log = pino({ level: 'silent' });
const count = 8;

describe('the share of an instance', () => {
  it('differs from that of another by at most one part, and all shares together are all parts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_024 }), fc.integer({ min: 1, max: 100 }), (parts, instances) => {
        const shares = Array.from({ length: instances }, (_, rank) => shareOf(parts, instances, rank));
        expect(shares.reduce((sum, share) => sum + share)).to.equal(parts);
        expect(Math.max(...shares) - Math.min(...shares)).to.be.at.most(1);
      }),
    );
  });
});

onMongoDb('leases of the parts of a task', ({ server, database }) => {
  describe('leases of the parts of a task', () => {
    let shared: MongoDatabase;
    let instances: Instance[];
    /** Terms of the holders by part; a part that is begun while another holds it is a mistake. */
    let terms: Map<number, bigint[]>;
    let holders: Map<number, Instance>;
    let mistakes: string[];

    beforeEach(() => {
      shared = database(randomUUID());
      instances = [];
      terms = new Map();
      holders = new Map();
      mistakes = [];
    });
    afterEach(() => Promise.all(instances.map(({ stop }) => stop())));

    type Instance = SharedLeases & { held: Set<number> };

    function join(
      leases: Leases = openMongoLeases({ database: shared, log, timings: { retryMs: 50 } }),
      isAway = () => false,
    ): Instance {
      const held = new Set<number>();
      const share = leases.share(
        'task',
        count,
        async (part, { term, signal }) => {
          const before = holders.get(part);
          if (before) mistakes.push(`part ${part} is held twice`);
          holders.set(part, instance);
          terms.set(part, [...(terms.get(part) ?? []), term]);
          held.add(part);
          if (!signal.aborted) await once(signal, 'abort');
          await pause(20);
          held.delete(part);
          holders.delete(part);
        },
        isAway,
      );
      const instance = { ...share, held };
      instances.push(instance);
      return instance;
    }
    const sizes = () => instances.map(({ held }) => held.size).sort();

    it('are spread evenly, moved when an instance joins or leaves, and each held by one at a time', async () => {
      join();
      await until(() => sizes().join() === '8', 'all parts at the only instance');
      join();
      await until(() => sizes().join() === '4,4', 'half of the parts each');
      const leaving = join();
      await until(() => sizes().join() === '2,3,3', 'a third of the parts each');
      await leaving.stop();
      await until(() => sizes().join() === '0,4,4', 'the parts of the instance that left');
      expect(mistakes).to.deep.equal([]);
      for (const each of terms.values())
        expect(each).to.deep.equal([...new Set(each)].sort((a, b) => (a < b ? -1 : 1)));
    });

    it('stay with an instance while others join and leave, but for its surplus', async () => {
      const first = join();
      await until(() => sizes().join() === '8', 'all parts at the only instance');
      const second = join();
      await until(() => sizes().join() === '4,4', 'half of the parts each');
      const kept = [...first.held];
      await second.stop();
      await until(() => first.held.size === 8, 'all parts again');
      for (const part of kept) expect(terms.get(part)).to.have.length(1);
    });

    it('of an instance that is away go to the others, and it has its share again once it is back', async () => {
      let isAway = false;
      const leases = () => openMongoLeases({ database: shared, log, timings: { retryMs: 50 } });
      const away = join(leases(), () => isAway);
      const other = join();
      await until(() => sizes().join() === '4,4', 'half of the parts each');
      isAway = true;
      await until(() => other.held.size === count, 'all parts at the other');
      expect(away.held.size).to.equal(0);
      isAway = false;
      await until(() => sizes().join() === '4,4', 'half of the parts each again');
      expect(mistakes).to.deep.equal([]);
    });

    it('stay with instances that are all away', async () => {
      join(undefined, () => true);
      await until(() => sizes().join() === '8', 'all parts at the only instance');
      join(undefined, () => true);
      const since = performance.now();
      await until(() => performance.now() - since > 3_000, 'some looks');
      await until(() => sizes().reduce((sum, size) => sum + size) === count, 'all parts at one or the other');
      expect(mistakes).to.deep.equal([]);
    });

    it('of an instance that leaves no trace are taken over, and it is forgotten', async () => {
      const dead = new MongoClient(server.url, { useBigInt64: true });
      const db = dead.db(shared.db.databaseName);
      join(openMongoLeases({ database: { ...shared, db }, log, timings: { retryMs: 50 } }));
      await until(() => sizes().join() === '8', 'all parts at the only instance');
      await dead.close(true); // it cannot renew any more, nor give back
      const diedAt = performance.now();
      const other = join();
      await until(() => other.held.size === count, 'all parts at the other');
      console.log(`      taken over after ${Math.round(performance.now() - diedAt)} ms`);
      const records = shared.db.collection<{ _id: string }>('leases');
      const members = async () =>
        (await records.find().toArray()).filter(({ _id }) => _id.startsWith('task/instance/'));
      await until(async () => (await members()).length === 1, 'the dead instance to be forgotten');
    });

    it('cost an idle instance one read and one update a second, however many they are', async () => {
      const client = new MongoClient(server.url, { monitorCommands: true, useBigInt64: true, ignoreUndefined: true });
      const sent: string[] = [];
      client.on('commandStarted', ({ commandName }: CommandStartedEvent) => void sent.push(commandName));
      const db = client.db(shared.db.databaseName);
      const leases = openMongoLeases({ database: { ...shared, db }, log });
      join(leases);
      join();
      const views = Array.from({ length: 5 }, (_, view) =>
        leases.hold(`view-${view}`, async ({ signal }) => void (await once(signal, 'abort'))),
      );
      await until(() => sizes().join() === '4,4' && views.every(({ status }) => status().held), 'all to be held');
      await pause(200);
      sent.length = 0;
      await pause(4_000);
      const finds = sent.filter((name) => name === 'find').length;
      const updates = sent.filter((name) => name === 'update').length;
      expect({ finds: finds <= 5, updates: updates <= 5, others: sent.length - finds - updates }).to.deep.equal({
        finds: true,
        updates: true,
        others: 0,
      });
      await Promise.all(views.map(({ stop }) => stop()));
      await Promise.all(instances.map(({ stop }) => stop()));
      await client.close();
    });
  });
});
