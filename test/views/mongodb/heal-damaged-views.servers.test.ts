import { expect } from 'chai';
import { pino } from 'pino';
import { StoreDamaged } from '../../../src/kernel/store-errors.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import type { MongoDatabase } from '../../../src/stores/mongodb/mongodb-database.js';
import { ViewSetAside } from '../../../src/views/errors.js';
import { follow } from '../../../src/views/following/follow.js';
import type { DocumentRow } from '../../../src/views/mongodb/collections.js';
import { openMongoReadModel } from '../../../src/views/mongodb/mongodb-read-model.js';
import { buildName, remove } from '../../../src/views/projection.js';
import { at, liveBuild, thing, things } from '../../contract/read-model/support.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';
import { counters, setCounter } from '../counters.js';
import { timings } from '../view-bench.js';

onMongoDb('damaged views in MongoDB', ({ database }) => {
  describe('a view in MongoDB whose documents cannot be read', () => {
    let shared: MongoDatabase;

    beforeEach(() => {
      shared = database(crypto.randomUUID());
    });

    const collections = async () =>
      (await shared.db.listCollections({}, { nameOnly: true }).toArray()).map((each) => each.name);
    const setAside = async () => (await collections()).filter((each) => each.startsWith('damaged-'));
    const damage = (build: string, key: string) =>
      shared.db
        .collection<DocumentRow>(build)
        .updateOne({ _id: key }, { $set: { document: 'a shopping list' as unknown as Record<string, never> } });

    it('is set aside and rebuilt, by any instance that meets the damage', async () => {
      const store = openSqliteEventStore({ directory: temporaryDirectory() });
      const readModel = openMongoReadModel(shared);
      const other = openMongoReadModel(shared);
      const last = await setCounter(store, 'a', 1);
      const logged: string[] = [];
      const log = pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line).msg) });
      const follower = follow({ store, readModel, projection: counters(), log, timings });
      await follower.passed(last);
      const build = (await readModel.live(counters())) ?? '';
      await damage(build, 'a');

      expect(await rejection(other.get(counters(), 'a'))).to.be.instanceOf(ViewSetAside);
      await until(
        async () => (await other.get(counters(), 'a').catch(() => undefined))?.value === 1,
        'the view to be healed',
      );
      expect(await setAside()).to.deep.equal([`damaged-${build}`]);
      expect(logged).to.include('the view was damaged: it has been set aside, and is built again');
      expect(await readModel.setAside(counters())).to.equal(undefined);
      await follower.stop();
      await store.close();
    });

    it('is set aside by two instances at once as one', async () => {
      const build = await liveBuild(openMongoReadModel(shared));
      await build.apply([at(1n, thing('a'))], 1n);
      await damage(build.name, 'a');
      const instances = [openMongoReadModel(shared), openMongoReadModel(shared)];
      for (const failure of await Promise.all(instances.map((one) => rejection(one.get(things, 'a'))))) {
        expect(failure).to.be.instanceOf(ViewSetAside);
      }
      expect(await setAside()).to.deep.equal([`damaged-${build.name}`]);
      expect(await instances[0]?.live(things)).to.equal(undefined);
      expect((await instances[1]?.setAside(things))?.as).to.equal(`damaged-${build.name}`);
    });

    it('is set aside where its checkpoint is something else', async () => {
      const readModel = openMongoReadModel(shared);
      const first = await liveBuild(readModel, 'run-1');
      await shared.db.collection<{ _id: string }>('builds').updateOne({ _id: first.name }, { $set: { position: 'x' } });
      expect(await rejection(readModel.position(things))).to.be.instanceOf(ViewSetAside);
    });

    it('is not set aside again within 20 minutes, and then in place of the earlier damaged build', async () => {
      const readModel = openMongoReadModel(shared);
      const damaged = async (run: string) => {
        const build = await liveBuild(readModel, run);
        await build.apply([at(1n, thing('a'))], 1n);
        await damage(build.name, 'a');
        return rejection(readModel.get(things, 'a'));
      };
      expect(await damaged('run-1')).to.be.instanceOf(ViewSetAside);
      expect(await damaged('run-2')).to.be.instanceOf(StoreDamaged);
      expect(await setAside()).to.deep.equal([`damaged-${buildName(things, 'run-1')}`]);

      const since = new Date(Date.now() - 21 * 60_000);
      await shared.db.collection('view-set-aside').updateMany({}, { $set: { since } });
      expect(await rejection(readModel.get(things, 'a'))).to.be.instanceOf(ViewSetAside);
      expect(await setAside()).to.deep.equal([`damaged-${buildName(things, 'run-2')}`]);
    });

    it('loses set-aside events when requested', async () => {
      const readModel = openMongoReadModel(shared);
      const build = await liveBuild(readModel);
      await build.apply([at(1n, thing('a'), remove('b'))], 1n);
      await damage(build.name, 'a');
      await rejection(readModel.get(things, 'a'));
      await readModel.clearSetAside(things, 60_000);
      expect(await setAside()).to.have.length(1);
      await readModel.clearSetAside(things, 0);
      expect(await setAside()).to.deep.equal([]);
    });
  });
});
