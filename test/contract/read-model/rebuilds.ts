import { expect } from 'chai';
import { RebuildCancelled, RebuildUnderWay } from '../../../src/views/errors.js';
import { buildName } from '../../../src/views/projection.js';
import type { RebuildProgress } from '../../../src/views/rebuilds.js';
import { rejection } from '../../support/rejection.js';
import { at, type Bench, keysOf, liveBuild, thing, things } from './support.js';

const build = buildName(things, 'run-1');
const progress: RebuildProgress = { phase: 'loading', events: 7, perSecond: 3, position: 9n, head: 2n ** 60n };

export function rebuildsContract({ readModel, another }: Bench): void {
  describe('rebuilds', () => {
    it('have one holder at a time, and show that holder and its progress to others', async () => {
      const other = await another();
      expect(await other.rebuilds.find(things)).to.equal(undefined);
      const claim = await readModel().rebuilds.claim(things);
      expect(claim.left).to.equal(undefined);
      await claim.begin(build);
      await claim.recordProgress(progress);

      const found = await other.rebuilds.find(things);
      expect(found).to.deep.include({ build, cancelled: false, progress });
      expect(found?.holder?.pid).to.equal(process.pid);
      const refused = await rejection(other.rebuilds.claim(things));
      expect(refused).to.be.instanceOf(RebuildUnderWay);
      expect((refused as RebuildUnderWay).holder).to.deep.equal(found?.holder);

      const next = { ...things, version: 2 };
      await (await other.rebuilds.claim(next)).end(); // each version has its own
      expect(await claim.end()).to.equal(true);
      expect(await other.rebuilds.find(things)).to.equal(undefined);
    });

    it('that were released are continued by the next', async () => {
      const first = await readModel().rebuilds.claim(things);
      await first.begin(build);
      await first.recordProgress(progress);
      await first.release();
      const other = await another();
      expect(await other.rebuilds.find(things)).to.deep.include({ build, holder: undefined, progress });
      const second = await other.rebuilds.claim(things);
      expect(second.left).to.deep.equal({ build, cancelled: false });
      await second.end();
    });

    it('can be cancelled by any process; their holder learns of it when it records its progress', async () => {
      const claim = await readModel().rebuilds.claim(things);
      await claim.begin(build);
      await claim.recordProgress(progress);
      await (await another()).rebuilds.cancel(things);
      expect(await rejection(claim.recordProgress(progress))).to.be.instanceOf(RebuildCancelled);
      await claim.release();
      const next = await readModel().rebuilds.claim(things);
      expect(next.left).to.deep.equal({ build, cancelled: true });
      await next.recordProgress(progress);
      await next.end();
      await readModel().rebuilds.cancel(things); // without an error
      expect(await readModel().rebuilds.find(things)).to.equal(undefined);
    });

    it('go on with a build at its checkpoint, wherever its loading was cut short', async () => {
      const loaded = await readModel().open(things, build, { bulk: true });
      await loaded.apply([at(1n, thing('a')), at(2n, thing('b'))], 2n);
      await loaded.close();
      expect(await (await another()).describe(build)).to.deep.equal({ finished: false, position: 2n });

      const resumed = await (await another()).open(things, build, { bulk: true });
      expect(await resumed.checkpoint()).to.deep.equal({ position: 2n });
      await resumed.apply([at(3n, thing('c'))], 3n);
      await resumed.finish();
      await resumed.close();
      expect(await readModel().describe(build)).to.deep.equal({ finished: true, position: 3n });
      await readModel().flip(things, build);
      const found = await readModel().find(things, { where: { orgId: 'org-1', rank: 'a' } });
      expect(keysOf(found)).to.deep.equal(['a', 'b', 'c']);
      expect(await readModel().describe(buildName(things, 'none'))).to.equal(undefined);
    });

    it('can be read before queries go to them, in the order of the keys', async () => {
      await (await liveBuild(readModel(), 'run-0')).close();
      const beside = await readModel().open(things, build);
      await beside.apply([at(1n, thing('b'), thing('c'), thing('a'))], 1n);
      const page = await beside.page({ limit: 2 });
      expect(keysOf(page)).to.deep.equal(['a', 'b']);
      expect(keysOf(await beside.page({ limit: 2, after: 'b' }))).to.deep.equal(['c']);
      expect(await beside.get('c')).to.include({ name: 'c' });
      expect(await beside.get('d')).to.equal(undefined);
      await beside.close();
    });
  });

  describe('error', () => {
    it('is visible to every process until it is over', async () => {
      const other = await another();
      expect(await other.viewError(things)).to.equal(undefined);
      for (const position of [7n, undefined]) {
        const error = { message: 'cannot', position, since: new Date().toISOString() };
        await readModel().recordError(things, error);
        expect(await other.viewError(things)).to.deep.equal(error);
      }
      expect(await other.viewError({ ...things, version: 2 })).to.equal(undefined);
      await readModel().recordError(things, undefined);
      expect(await other.viewError(things)).to.equal(undefined);
    });
  });
}
