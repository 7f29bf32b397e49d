import { expect } from 'chai';
import { buildName, patch, put, removeWhere } from '../../../src/views/projection.js';
import { at, type Bench, keysOf, liveBuild, thing, things } from './support.js';

export function removalsContract({ readModel }: Bench): void {
  describe('removing by a field', () => {
    const keys = async () => keysOf(await readModel().find(things, { where: {} }));
    const of = (key: string, orgId: string) => thing(key, 'a', orgId);

    it('removes every document that has one of the values, and no other', async () => {
      const build = await liveBuild(readModel());
      await build.apply([at(1n, of('a', 'x'), of('b', 'y'), of('c', 'z'), of('d', 'x'))], 1n);
      await build.apply([at(2n, removeWhere('orgId', ['x', 'z', 'nobody']))], 2n);
      expect(await keys()).to.deep.equal(['b']);
      expect(await readModel().find(things, { where: { orgId: 'x' } })).to.deep.equal([]);
      await build.close();
    });

    it('is in its place among the operations of a batch', async () => {
      const build = await liveBuild(readModel());
      await build.apply([at(1n, of('before', 'x'), of('again', 'x'))], 1n);
      await build.apply(
        [
          at(2n, of('within', 'x'), patch('before', { rank: 'b' })),
          at(3n, removeWhere('orgId', ['x'])),
          at(4n, patch('before', { rank: 'c' }), of('again', 'x'), of('after', 'x')),
        ],
        4n,
      );
      expect(await keys()).to.deep.equal(['after', 'again']);
      await build.close();
    });

    it('changes nothing when the batch is applied again', async () => {
      const build = await liveBuild(readModel());
      const batch = [at(1n, of('a', 'x'), of('b', 'y')), at(2n, removeWhere('orgId', ['x'])), at(3n, of('c', 'x'))];
      await build.apply(batch, 3n);
      await build.apply(batch, 3n);
      expect(await keys()).to.deep.equal(['b', 'c']);
      await build.close();
    });

    it('finds documents without their index while a build is loaded', async () => {
      const build = await readModel().open(things, buildName(things, 'bulk'), { bulk: true });
      const many = Array.from({ length: 1_500 }, (_, index) => put(`k-${index}`, { orgId: `org-${index}`, rank: 'a' }));
      await build.apply([at(1n, ...many)], 1n);
      const gone = Array.from({ length: 1_400 }, (_, index) => `org-${index}`);
      await build.apply([at(2n, removeWhere('orgId', gone))], 2n);
      await build.finish();
      await build.close();
      await readModel().flip(things, build.name);
      expect(await readModel().find(things, { where: {}, limit: 1_000 })).to.have.length(100);
    });
  });
}
