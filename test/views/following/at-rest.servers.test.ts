import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type CommandStartedEvent, MongoClient } from 'mongodb';
import { pino } from 'pino';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { openMongoLeases } from '../../../src/stores/leases/mongodb/mongodb-leases.js';
import { followUnderLease } from '../../../src/views/following/follow-under-lease.js';
import { watch } from '../../../src/views/following/watch.js';
import { openMongoReadModel } from '../../../src/views/mongodb/mongodb-read-model.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { nameOf } from '../../support/mongodb/sent-commands.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';
import { counters, setCounter } from '../counters.js';

const log = pino({ level: 'silent' });
const projections = Array.from({ length: 8 }, (_, index) => counters({ version: index + 1 }));
/** Earlier versions are dropped after the measurement. */
const timings = { graceMs: 600_000 };

onMongoDb('views at rest', ({ server, database }) => {
  describe('eight views without events', () => {
    let store: EventStore;
    let stops: (() => Promise<void>)[];
    let name: string;

    beforeEach(async () => {
      store = openSqliteEventStore({ directory: temporaryDirectory() });
      await setCounter(store, 'a', 1);
      stops = [];
      name = database(randomUUID()).db.databaseName;
    });
    afterEach(async () => {
      for (const stop of stops.reverse()) await stop();
      await store.close();
    });

    /** An instance with its own connection, whose commands and reads of the store's end are counted. */
    function counted() {
      const client = new MongoClient(server.url, { monitorCommands: true, useBigInt64: true, ignoreUndefined: true });
      const sent: string[] = [];
      client.on('commandStarted', ({ command }: CommandStartedEvent) => void sent.push(nameOf(command)));
      stops.push(() => client.close());
      const db = client.db(name);
      const shared = { db, patient: db, close: async () => {} };
      const watchedStore: EventStore = {
        ...store,
        head() {
          sent.push('head');
          return store.head();
        },
      };
      return { sent, shared, store: watchedStore, readModel: openMongoReadModel(shared) };
    }

    function instance() {
      const { sent, shared, ...common } = counted();
      const leases = openMongoLeases({ database: shared, log });
      const { followers, stop } = followUnderLease({ ...common, leases, log, projections, timings });
      stops.push(stop);
      return { sent, areCaughtUp: () => followers.every(({ status }) => status().caughtUp) };
    }

    /** Counts what is sent in this time, and later until each kind was. */
    async function atRest(
      sent: string[],
      restMs: number,
      kinds: readonly string[],
    ): Promise<{ counts: Map<string, number>; seconds: number }> {
      sent.length = 0;
      const began = performance.now();
      await pause(restMs);
      await until(() => kinds.every((kind) => sent.includes(kind)), 'a command of each kind');
      const counts = new Map<string, number>();
      for (const each of sent) counts.set(each, (counts.get(each) ?? 0) + 1);
      return { counts, seconds: (performance.now() - began) / 1_000 };
    }

    it('cost a standby a read of each kind every five seconds, and their leader one a second', async () => {
      const leader = instance();
      await until(leader.areCaughtUp, 'the first instance to have built the views');
      const standby = instance();
      await until(standby.areCaughtUp, 'the second to watch them');
      const ofLeader = ['find views', 'update leases'];
      const ofStandby = ['find views', 'find builds', 'find view-troubles', 'find leases', 'head'];
      const [led, watched] = await Promise.all([
        atRest(leader.sent, 6_000, ofLeader),
        atRest(standby.sent, 6_000, ofStandby),
      ]);
      expect([...led.counts.keys()]).to.have.members(ofLeader);
      expect([...watched.counts.keys()]).to.have.members(ofStandby);
      const atMost = ({ counts, seconds }: typeof led, perSecond: number) => {
        for (const [what, count] of counts) {
          const limit = what === 'find leases' ? 1 / 0.74 : perSecond;
          expect(count, what).to.be.at.most(Math.floor(seconds * limit) + 1);
        }
      };
      atMost(led, 1);
      atMost(watched, 0.2);
    });

    it('cost nothing where they are watched only for callers that wait', async () => {
      const leader = instance();
      await until(leader.areCaughtUp, 'the views to be built');
      const { sent, shared: _, ...common } = counted();
      const [projection] = projections as [(typeof projections)[number]];
      const watched = watch({ ...common, projection, onlyAwaited: true });
      stops.push(watched.stop);
      await until(() => watched.status().position !== undefined, 'the first look');
      await pause(100);
      expect((await atRest(sent, 4_000, [])).counts.size).to.equal(0);
      await watched.passed(await setCounter(store, 'b', 2));
      expect(await common.readModel.get(projection, 'b')).to.include({ value: 2 });
    });
  });
});
