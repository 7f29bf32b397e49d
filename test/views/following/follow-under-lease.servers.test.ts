import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { pino } from 'pino';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { openMongoLeases } from '../../../src/stores/leases/mongodb/mongodb-leases.js';
import type { MongoDatabase } from '../../../src/stores/mongodb/mongodb-database.js';
import type { Follower } from '../../../src/views/follower.js';
import { follow } from '../../../src/views/following/follow.js';
import { followUnderLease } from '../../../src/views/following/follow-under-lease.js';
import { openMongoReadModel } from '../../../src/views/mongodb/mongodb-read-model.js';
import type { ReadModel } from '../../../src/views/read-model.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';
import { counters, setCounter } from '../counters.js';
import { timings } from '../view-bench.js';

const log = pino({ level: 'silent' });
const program = fileURLToPath(new URL('./projecting-process.js', import.meta.url));

onMongoDb('following under a lease', ({ server, database }) => {
  describe('following a projection on several instances', () => {
    let directory: string;
    let store: EventStore;
    let shared: MongoDatabase;
    let stops: (() => Promise<void>)[];
    let children: ChildProcess[];

    beforeEach(() => {
      directory = temporaryDirectory();
      store = openSqliteEventStore({ directory });
      shared = database(crypto.randomUUID());
      stops = [];
      children = [];
    });
    afterEach(async () => {
      for (const child of children) child.kill('SIGKILL');
      for (const stop of stops) await stop();
      await store.close();
    });

    function instance({ version = 1 } = {}) {
      const readModel: ReadModel = openMongoReadModel(shared);
      const seen: string[] = [];
      const projection = counters({ version, onEvent: (name) => void seen.push(name) });
      const leases = openMongoLeases({ database: shared, log, timings: { retryMs: 50 } });
      const { followers, stop } = followUnderLease({
        store,
        readModel,
        leases,
        log,
        projections: [projection],
        timings: { ...timings, idleMs: 50 },
      });
      stops.push(stop);
      const [follower] = followers as [Follower];
      return {
        ...follower,
        seen,
        stop,
        counted: async (name: string) => (await readModel.get(counters({ version }), name))?.value,
      };
    }

    async function projectingProcess(): Promise<ChildProcess> {
      const child = fork(program, [directory, server.url, shared.db.databaseName]);
      children.push(child);
      await once(child, 'message');
      return child;
    }

    const expected = async (): Promise<ReadonlyMap<string, unknown>> => {
      const values = new Map<string, unknown>();
      for await (const event of store.readAll()) {
        const { name, value } = event.data as { name: string; value: number };
        values.set(name, value);
      }
      return values;
    };
    const found = async (): Promise<ReadonlyMap<string, unknown>> => {
      const documents = await openMongoReadModel(shared).find(counters(), { where: {}, limit: 1_000 });
      return new Map(documents.map(({ key, document }) => [key, document.value]));
    };

    it('is done by one of them, and seen by all', async () => {
      const [one, other] = [instance(), instance()];
      for (const value of [1, 2, 3]) {
        const position = await setCounter(store, 'a', value);
        await Promise.all([one.passed(position), other.passed(position)]);
        expect(await one.counted('a')).to.equal(value);
        expect(await other.counted('a')).to.equal(value);
      }
      expect([one.seen, other.seen].filter((seen) => seen.length > 0)).to.deep.equal([['a', 'a', 'a']]);

      await until(() => one.status().caughtUp && other.status().caughtUp, 'both to say so');
      await until(() => one.status().lease?.holder === other.status().lease?.holder, 'the standby to name the leader');
      const [first, second] = [one.status(), other.status()];
      expect(first.build).to.equal(second.build);
      expect([first.lease?.held, second.lease?.held]).to.have.members([true, false]);
      expect(first.lease?.holder).to.equal(second.lease?.holder).and.not.to.equal(undefined);
    });

    it('continues with another after a stop, also for waiting callers', async () => {
      const first = instance();
      await first.passed(await setCounter(store, 'a', 1));
      const second = instance();
      await second.passed(await store.head());
      const next = (await store.head()) + 1n;
      const waiting = [rejection(first.passed(next)), second.passed(next)];
      await first.stop();
      await setCounter(store, 'a', 2);
      const [refused] = await Promise.all(waiting);
      expect(refused).to.have.property('code', 'store_unavailable');
      expect(await second.counted('a')).to.equal(2);
      expect(second.status().lease?.held).to.equal(true);
    });

    it('is kept up to date in both versions while two releases are there, and neither goes through all of history twice', async () => {
      const old = instance();
      await old.passed(await setCounter(store, 'a', 1));
      const later = instance({ version: 2 });
      await later.passed(await store.head());
      const position = await setCounter(store, 'a', 2);
      await Promise.all([old.passed(position), later.passed(position)]);
      expect([await old.counted('a'), await later.counted('a')]).to.deep.equal([2, 2]);
      expect([old.status().lease?.held, later.status().lease?.held]).to.deep.equal([true, true]);

      await old.stop();
      await later.passed(await setCounter(store, 'a', 3));
      expect(await later.counted('a')).to.equal(3);
      expect(later.seen).to.deep.equal(['a', 'a', 'a']);

      const back = instance();
      await back.passed(await store.head());
      expect(await back.counted('a')).to.equal(3);
      expect(back.seen).to.deep.equal(['a']); // what came after it had stopped
    });

    it('lets go of those who give up', async () => {
      const [one, other] = [instance(), instance()];
      for (const each of [one, other]) {
        const giveUp = new AbortController();
        const waiting = rejection(each.passed(1_000n, giveUp.signal));
        giveUp.abort(new Error('enough'));
        expect(await waiting).to.have.property('message', 'enough');
      }
    });

    it('continues with another after a kill -9, with the same result', async () => {
      const child = await projectingProcess();
      const survivor = instance();
      for (let value = 0; value < 60; value += 1) await setCounter(store, `counter-${value % 7}`, value);
      child.kill('SIGKILL');
      for (let value = 60; value < 120; value += 1) await setCounter(store, `counter-${value % 7}`, value);
      await survivor.passed(await store.head());
      expect(survivor.status().lease?.held).to.equal(true);
      expect(await found()).to.deep.equal(await expected());
    });

    it('is not disturbed by one that was paused past its lease', async () => {
      const child = await projectingProcess();
      const other = instance();
      await other.passed(await setCounter(store, 'a', 1));
      const writing = (async () => {
        for (let value = 0; value < 40; value += 1) await setCounter(store, `counter-${value % 7}`, value);
      })();
      child.kill('SIGSTOP');
      await writing;
      await other.passed(await store.head());
      child.kill('SIGCONT');
      for (let value = 40; value < 80; value += 1)
        await other.passed(await setCounter(store, `counter-${value % 7}`, value));
      expect(other.status().lease?.held).to.equal(true);
      expect(await found()).to.deep.equal(await expected());
    });

    it('is refused to one whose term is over, even where it does not know', async () => {
      const readModel = openMongoReadModel(shared);
      const common = { store, readModel, projection: counters(), log, timings };
      const paused = follow({ ...common, lease: { term: 1n, isHeld: () => true } });
      stops.push(paused.stop);
      await paused.passed(await setCounter(store, 'a', 1));
      const later = follow({ ...common, lease: { term: 2n, isHeld: () => true } });
      stops.push(later.stop);
      await until(() => later.status().position !== undefined, 'the later one to have claimed the build');
      await later.passed(await setCounter(store, 'a', 2));
      await until(() => paused.status().error !== undefined, 'the older one to be refused');
      expect(paused.status().error?.message).to.match(/the lease .* of term 1 has ended/);
      await paused.stop(); // its last note has been written
      // The later one clears the note in the background, maybe after the note of the older one
      await until(
        async () => !(await readModel.viewError(counters())),
        'no instance to see the error of the older one',
      );
      await later.passed(await setCounter(store, 'a', 3));
      expect(await readModel.get(counters(), 'a')).to.include({ value: 3 });
    });

    it('writes nothing more once the lease is no longer surely held', async () => {
      const readModel = openMongoReadModel(shared);
      let held = true;
      const follower = follow({
        store,
        readModel,
        projection: counters(),
        log,
        timings,
        lease: { term: 1n, isHeld: () => held },
      });
      stops.push(follower.stop);
      await follower.passed(await setCounter(store, 'a', 1));
      held = false;
      await setCounter(store, 'a', 2);
      await until(() => follower.status().error !== undefined, 'the refusal');
      expect(await readModel.get(counters(), 'a')).to.include({ value: 1 });
    });
  });
});
