import { expect } from 'chai';
import { type Document, MongoClient } from 'mongodb';
import { pino } from 'pino';
import { StoreUnavailable, StoreUnusable } from '../../../src/kernel/store-errors.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import type { MongoDatabase } from '../../../src/stores/mongodb/mongodb-database.js';
import { BuildGone, ViewSetAside } from '../../../src/views/errors.js';
import { follow } from '../../../src/views/following/follow.js';
import { openMongoReadModel } from '../../../src/views/mongodb/mongodb-read-model.js';
import { buildName, type Operation, patch, remove } from '../../../src/views/projection.js';
import type { ReadModel } from '../../../src/views/read-model.js';
import { rebuild } from '../../../src/views/rebuilding/rebuild.js';
import { at, liveBuild, thing, things } from '../../contract/read-model/support.js';
import { failing } from '../../support/mongodb/faults/failing-db.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { nameOf, sentBy } from '../../support/mongodb/sent-commands.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';
import { counters, setCounter } from '../counters.js';
import { timings } from '../view-bench.js';

const name = buildName(things, 'run-1');

onMongoDb('builds in MongoDB', ({ server, database }) => {
  describe('a build in a MongoDB collection', () => {
    let shared: MongoDatabase;
    let readModel: ReadModel;

    beforeEach(() => {
      shared = database(crypto.randomUUID());
      readModel = openMongoReadModel(shared);
    });

    const collections = async () =>
      (await shared.db.listCollections({}, { nameOnly: true }).toArray()).map((each) => each.name);

    it('has an index for each lookup, with the key at its end, from when it may be read', async () => {
      const loading = await readModel.open(things, name, { bulk: true });
      await loading.apply([at(1n, thing('a'))], 1n);
      const keys = async () => (await shared.db.collection(name).indexes()).map(({ key }) => key);
      expect(await keys()).to.deep.equal([{ _id: 1 }]);
      await loading.finish();
      expect(await keys()).to.have.deep.members([
        { _id: 1 },
        { 'document.orgId': 1, 'document.rank': 1, _id: 1 },
        { 'document.orgId': 1, 'document.hookUrl': 1, 'document.rank': 1, _id: 1 },
      ]);
    });

    it('recreates a dropped index, and is set aside where an index of the same name is different', async () => {
      await liveBuild(readModel);
      await shared.db.collection(name).dropIndex('by_orgId_rank');
      await readModel.open(things, name);
      expect(await shared.db.collection(name).indexExists('by_orgId_rank')).to.equal(true);

      await shared.db.collection(name).dropIndex('by_orgId_rank');
      await shared.db.collection(name).createIndex({ other: 1 }, { name: 'by_orgId_rank' });
      expect(await rejection(readModel.open(things, name))).to.be.instanceOf(ViewSetAside);
    });

    it('gets neither queries nor later events before it is finished', async () => {
      const loading = await readModel.open(things, name, { bulk: true });
      await loading.apply([at(1n, thing('a'))], 1n);
      await loading.close();
      expect(await rejection(readModel.flip(things, name))).to.be.instanceOf(StoreUnusable);
      expect(await rejection(readModel.open(things, name))).to.be.instanceOf(StoreUnusable);
      expect(await readModel.live(things)).to.equal(undefined);
    });

    it('is refused where it is of another schema', async () => {
      await liveBuild(readModel);
      await shared.db.collection<{ _id: string }>('builds').updateOne({ _id: name }, { $set: { schema: 99 } });
      const failure = await rejection(readModel.open(things, name));
      expect(failure).to.be.instanceOf(StoreUnusable);
      expect((failure as Error).message).to.match(/is of schema 99/);
    });

    it('counts for nothing where another release made it: the view is made anew, and that build goes', async () => {
      const store = openSqliteEventStore({ directory: temporaryDirectory() });
      await setCounter(store, 'a', 1);
      const { build } = await rebuild({ store, readModel, projection: counters() });
      await shared.db.collection<{ _id: string }>('builds').updateOne({ _id: build }, { $set: { schema: 99 } });

      const elsewhere = openMongoReadModel(shared);
      expect(await elsewhere.live(counters())).to.equal(undefined);
      expect(await rejection(elsewhere.get(counters(), 'a'))).to.be.instanceOf(StoreUnavailable);
      const log = pino({ enabled: false });
      const follower = follow({ store, readModel: elsewhere, projection: counters(), log, timings });
      await follower.passed(await setCounter(store, 'b', 2));
      expect(await elsewhere.get(counters(), 'a')).to.include({ value: 1 });
      await until(async () => !(await elsewhere.builds(counters())).includes(build), 'the old build to go');
      await follower.stop();
      await store.close();
    });

    it('leaves nothing behind when it is dropped, also while another process writes to it', async () => {
      const build = await liveBuild(readModel);
      await build.apply([at(1n, thing('a'))], 1n);
      await readModel.drop(name);
      expect(await collections()).not.to.include(name);

      expect(await rejection(build.apply([at(2n, thing('b'))], 2n))).to.be.instanceOf(BuildGone);
      expect(await readModel.live(things)).to.equal(undefined);
      expect(await readModel.builds(things)).to.deep.equal([name]); // what was written makes the collection again
      await readModel.drop(name);
      expect(await collections()).not.to.include(name);
      expect(await readModel.builds(things)).to.deep.equal([]);
    });

    it('is no longer live once it has been dropped, also when queries are pointed at it meanwhile', async () => {
      for (let round = 0; round < 20; round += 1) {
        await readModel.open(things, name);
        await Promise.allSettled([readModel.flip(things, name), openMongoReadModel(shared).drop(name)]);
        expect(await readModel.live(things)).to.equal(undefined);
        expect(await readModel.builds(things)).to.deep.equal([]);
      }
    });

    it('costs one command for new, patched and removed documents each, and two for replaced ones', async () => {
      await liveBuild(readModel);
      const methods: string[] = [];
      const watched = failing(shared.db, ({ collection, method }) => {
        if (collection === name) methods.push(method);
        return undefined;
      });
      const build = await openMongoReadModel({ ...shared, ...watched }).open(things, name);
      const costOf = async (position: bigint, ...operations: readonly Operation[]) => {
        methods.length = 0;
        await build.apply([at(position, ...operations)], position);
        return [...methods];
      };

      expect(await costOf(1n, thing('a'), thing('b'))).to.deep.equal(['insertMany']);
      expect(await costOf(2n, patch('a', { rank: 'b' }))).to.deep.equal(['bulkWrite']);
      expect(await costOf(3n, thing('a'))).to.deep.equal(['insertMany', 'bulkWrite']);
      expect(await costOf(4n, remove('a'), remove('b'))).to.deep.equal(['bulkWrite']);
      expect(await build.get('a')).to.equal(undefined);
    });

    it('writes documents in the order of their keys: engines that run a bulk as one transaction deadlock on others', async () => {
      await liveBuild(readModel);
      const client = new MongoClient(server.url, { monitorCommands: true, useBigInt64: true, ignoreUndefined: true });
      const db = client.db(shared.db.databaseName);
      const build = await openMongoReadModel({ ...shared, db }).open(things, name);
      const keysOf = ({ documents, updates }: Document): string[] =>
        (documents ?? updates).map(({ _id, q }: Document) => _id ?? q._id);
      const writtenBy = async (position: bigint, ...operations: readonly Operation[]) => {
        const sent = await sentBy(client, () => build.apply([at(position, ...operations)], position));
        return sent.filter((command) => nameOf(command).endsWith(` ${name}`)).map(keysOf);
      };
      const keys = ['a', 'b', 'c'];
      expect(await writtenBy(1n, thing('c'), thing('a'), thing('b'))).to.deep.equal([keys]);
      expect(await writtenBy(2n, thing('b'), thing('c'), thing('a'))).to.deep.equal([keys, keys]);
      const patches = ['b', 'c', 'a'].map((key) => patch(key, { rank: 'b' }));
      expect(await writtenBy(3n, ...patches)).to.deep.equal([keys]);
      expect(await writtenBy(4n, remove('c'), remove('b'), remove('a'))).to.deep.equal([keys]);
      await client.close();
    });

    it('keeps removed documents removed, also ones that never existed', async () => {
      const build = await liveBuild(readModel);
      await build.apply([at(1n, thing('a'))], 1n);
      await build.apply([at(4n, remove('a'), remove('never'))], 4n);
      await build.apply([at(2n, thing('never')), at(3n, thing('a'))], 4n); // late, from one whose lease is over
      expect(await build.get('a')).to.equal(undefined);
      expect(await build.get('never')).to.equal(undefined);
    });

    it('takes no name that is that of something else', async () => {
      for (const strange of ['builds', 'views', 'system.users', 'things', 'things-v1-', 'things-v1-run.more', '']) {
        expect(await rejection(readModel.open(things, strange)), strange).to.be.instanceOf(RangeError);
      }
    });
  });
});
