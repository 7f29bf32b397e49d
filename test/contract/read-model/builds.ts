import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { BuildGone } from '../../../src/views/errors.js';
import { buildName } from '../../../src/views/projection.js';
import { rejection } from '../../support/rejection.js';
import { at, type Bench, keysOf, liveBuild, thing, things } from './support.js';

const first = buildName(things, 'run-1');
const second = buildName(things, 'run-2');

export function buildsContract({ readModel, another }: Bench): void {
  describe('builds', () => {
    const keys = async (model = readModel()) => keysOf(await model.find(things, { where: {} }));

    it('has no live build until there is one, and says so instead of answering', async () => {
      await (await readModel().open(things, first)).close();
      expect(await readModel().live(things)).to.equal(undefined);
      expect(await readModel().position(things)).to.equal(undefined);
      for (const looked of [readModel().get(things, 'a'), readModel().find(things, { where: {} })]) {
        expect(await rejection(looked))
          .to.be.instanceOf(StoreUnavailable)
          .with.property('message', `the view ${things.name} has not been built yet: a running service does that`);
      }
    });

    it('never lets two builds touch each other', async () => {
      const live = await liveBuild(readModel());
      await live.apply([at(1n, thing('a'))], 1n);
      const beside = await readModel().open(things, second);
      expect(await beside.checkpoint()).to.deep.equal({ position: undefined });
      await beside.apply([at(7n, thing('b'))], 7n);

      expect(await keys()).to.deep.equal(['a']);
      expect(await live.checkpoint()).to.deep.equal({ position: 1n });
      expect(await readModel().builds(things)).to.have.members([first, second]);
      await live.close();
      await beside.close();
    });

    it('loads in bulk, and answers as any other build once it is finished', async () => {
      const loaded = await readModel().open(things, first, { bulk: true });
      await loaded.apply([at(1n, thing('a', '1')), at(2n, thing('b', '2'))], 2n);
      await loaded.finish();
      await loaded.apply([at(3n, thing('c', '2'))], 3n);
      await readModel().flip(things, first);

      const found = await readModel().find(things, { where: { orgId: 'org-1', rank: '2' } });
      expect(keysOf(found)).to.deep.equal(['b', 'c']);
      expect(await readModel().position(things)).to.equal(3n);
      await loaded.apply([at(4n, thing('d', '2'))], 4n);
      expect(await readModel().get(things, 'd')).to.include({ name: 'd' });
      await loaded.close();
    });

    it('shows readers the new build as soon as queries are pointed at it, in every process', async () => {
      const reader = await another();
      const old = await liveBuild(readModel());
      await old.apply([at(1n, thing('a'))], 1n);
      expect(await keys(reader)).to.deep.equal(['a']);

      const next = await readModel().open(things, second);
      await next.apply([at(1n, thing('b'))], 1n);
      await readModel().flip(things, second);
      expect(await readModel().live(things)).to.equal(second);
      expect(await reader.live(things)).to.equal(second);
      expect(await keys()).to.deep.equal(['b']);
      expect(await keys(reader)).to.deep.equal(['b']);
      await old.close();
      await next.close();
    });

    it('never takes a reader back in time: until the new build is as far, the old one answers', async () => {
      const old = await liveBuild(readModel());
      await old.apply([at(5n, thing('a'))], 5n);
      expect(await keys()).to.deep.equal(['a']);

      const next = await readModel().open(things, second);
      await next.apply([at(4n, thing('b'))], 4n);
      await readModel().flip(things, second);
      expect(await keys()).to.deep.equal(['a']);
      expect(await readModel().position(things)).to.equal(5n);

      await next.apply([at(5n, thing('c'))], 5n);
      expect(await keys()).to.deep.equal(['b', 'c']);
      await old.close();
      await next.close();
    });

    it('answers from the new build, whatever it has, once the old one has been dropped', async () => {
      const reader = await another();
      const old = await liveBuild(readModel());
      await old.apply([at(5n, thing('a'))], 5n);
      expect(await keys(reader)).to.deep.equal(['a']);
      const next = await liveBuild(readModel(), 'run-2');
      await next.apply([at(4n, thing('b'))], 4n);

      await old.close();
      await readModel().drop(first);
      expect(await keys()).to.deep.equal(['b']);
      expect(await keys(reader)).to.deep.equal(['b']);
      await next.close();
    });

    it('leaves nothing of a dropped build, in any process', async () => {
      const reader = await another();
      const build = await liveBuild(readModel());
      await build.apply([at(1n, thing('a'))], 1n);
      expect(await keys(reader)).to.deep.equal(['a']);
      await build.close();
      await readModel().drop(first);

      for (const model of [readModel(), reader, await another()]) {
        expect(await model.live(things)).to.equal(undefined);
        expect(await model.builds(things)).to.deep.equal([]);
        expect(await rejection(model.get(things, 'a'))).to.be.instanceOf(StoreUnavailable);
      }
      const again = await liveBuild(readModel());
      expect(await again.checkpoint()).to.deep.equal({ position: undefined });
      expect(await keys()).to.deep.equal([]);
      await again.close();
    });

    it('refuses to point queries at a missing build, and ignores the drop of one', async () => {
      const live = await liveBuild(readModel());
      expect(await rejection(readModel().flip(things, second))).to.be.instanceOf(BuildGone);
      await readModel().drop(second);
      expect(await readModel().live(things)).to.equal(first);
      await live.close();
    });

    it('keeps the versions of a projection apart', async () => {
      const live = await liveBuild(readModel());
      await live.apply([at(1n, thing('a'))], 1n);
      const next = { ...things, version: 2 };
      expect(await readModel().live(next)).to.equal(undefined);

      const build = await readModel().open(next, buildName(next, 'run-1'));
      await build.apply([at(1n, thing('b'))], 1n);
      await readModel().flip(next, build.name);
      expect(await keys()).to.deep.equal(['a']);
      expect(keysOf(await readModel().find(next, { where: {} }))).to.deep.equal(['b']);
      await live.close();
      await build.close();
    });

    it('says that it is closed', async () => {
      const closed = await another();
      await closed.close();
      expect(await rejection(closed.get(things, 'a'))).to.be.instanceOf(StoreUnavailable);
      expect(await rejection(closed.live(things))).to.be.instanceOf(StoreUnavailable);
    });
  });
}
