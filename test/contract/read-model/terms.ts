import { expect } from 'chai';
import { LeaseLost } from '../../../src/stores/leases/leases.js';
import { buildName, patch } from '../../../src/views/projection.js';
import { rejection } from '../../support/rejection.js';
import { at, type Bench, liveBuild, thing, things } from './support.js';

const first = buildName(things, 'run-1');
const second = buildName(things, 'run-2');

/** Contract of several instances that write, each under the term of its lease. */
export function termsContract({ readModel, another }: Bench): void {
  describe('terms', () => {
    const get = async (key: string) => (await another()).get(things, key);

    it('goes on with a build under the same term and under a later one', async () => {
      await liveBuild(readModel());
      for (const [term, position] of [
        [3n, 1n],
        [3n, 2n],
        [7n, 3n],
      ] as const) {
        const build = await (await another()).open(things, first, { term });
        await build.apply([at(position, thing('a', `${position}`))], position);
        expect(await get('a')).to.include({ rank: `${position}` });
        expect(await build.checkpoint()).to.deep.equal({ position });
      }
    });

    it('changes nothing that a later term wrote, and leaves its checkpoint where it is', async () => {
      await liveBuild(readModel());
      const paused = await readModel().open(things, first, { term: 1n });
      await paused.apply([at(1n, thing('a', 'one'), thing('b', 'one'))], 1n);
      const later = await (await another()).open(things, first, { term: 2n });
      const batch = [at(2n, thing('a', 'two')), at(3n, patch('b', { rank: 'three' })), at(4n, thing('c', 'four'))];
      await later.apply([...batch, at(5n, thing('a', 'five'))], 5n);

      expect(await rejection(paused.apply(batch, 4n))).to.be.instanceOf(LeaseLost);
      expect(await rejection(paused.apply([], 9n))).to.be.instanceOf(LeaseLost);
      expect(await get('a')).to.include({ rank: 'five' });
      expect(await get('b')).to.include({ rank: 'three' });
      expect(await later.checkpoint()).to.deep.equal({ position: 5n });
      await later.apply([at(6n, thing('a', 'six'))], 6n);
      expect(await get('a')).to.include({ rank: 'six' });
    });

    it('has the same result if an earlier term has written ahead of the checkpoint', async () => {
      await liveBuild(readModel());
      const paused = await readModel().open(things, first, { term: 1n });
      const later = await (await another()).open(things, first, { term: 2n });
      const [one, two, three] = [at(1n, thing('a', 'one')), at(2n, patch('a', { name: 'b' })), at(3n, thing('c', 'd'))];
      expect(await rejection(paused.apply([one, two, three], 3n))).to.be.instanceOf(LeaseLost);
      expect(await later.checkpoint()).to.deep.equal({ position: undefined });

      await later.apply([one], 1n);
      await later.apply([two], 2n);
      expect(await get('a')).to.deep.equal({ orgId: 'org-1', rank: 'one', name: 'b' });
      await later.apply([three, at(4n, patch('c', { rank: 'e' }))], 4n);
      expect(await get('c')).to.include({ rank: 'e' });
    });

    it('opens no build under an earlier term', async () => {
      await liveBuild(readModel());
      await (await readModel().open(things, first, { term: 2n })).apply([], 1n);
      expect(await rejection((await another()).open(things, first, { term: 1n }))).to.be.instanceOf(LeaseLost);
    });

    it('points queries nowhere under an earlier term, also after the build of the later one is gone', async () => {
      await readModel().open(things, first, { term: 1n });
      await readModel().open(things, second, { term: 2n });
      await readModel().flip(things, second, { term: 2n });
      const paused = await another();
      expect(await rejection(paused.flip(things, first, { term: 1n }))).to.be.instanceOf(LeaseLost);
      expect(await readModel().live(things)).to.equal(second);

      await readModel().drop(second);
      expect(await rejection(paused.flip(things, first, { term: 1n }))).to.be.instanceOf(LeaseLost);
      expect(await readModel().live(things)).to.equal(undefined);
      await readModel().flip(things, first, { term: 3n });
      expect(await readModel().live(things)).to.equal(first);
    });

    it('records no error under an earlier term, also after that of the later one has ended', async () => {
      const error = (message: string) => ({ message, position: undefined, since: new Date().toISOString() });
      await readModel().recordError(things, error('one'), { term: 1n });
      const later = await another();
      await later.recordError(things, error('two'), { term: 2n });
      await readModel().recordError(things, undefined, { term: 1n });
      expect(await later.viewError(things)).to.include({ message: 'two' });
      await later.recordError(things, undefined, { term: 2n });
      await readModel().recordError(things, error('late'), { term: 1n });
      expect(await later.viewError(things)).to.equal(undefined);
      await later.recordError(things, error('three'), { term: 2n });
      expect(await readModel().viewError(things)).to.include({ message: 'three' });
    });

    it('lets an operator rebuild while an instance holds the lease, and keeps the term', async () => {
      await readModel().open(things, first, { term: 2n });
      await readModel().flip(things, first, { term: 2n });
      const operator = await another();
      const rebuilt = await operator.open(things, second, { bulk: true });
      await rebuilt.apply([at(1n, thing('a'))], 1n);
      await rebuilt.finish();
      await operator.flip(things, second);
      expect(await readModel().live(things)).to.equal(second);
      expect(await rejection(readModel().flip(things, first, { term: 1n }))).to.be.instanceOf(LeaseLost);

      const taken = await readModel().open(things, second, { term: 2n });
      await taken.apply([at(2n, thing('a', 'next'))], 2n);
      expect(await get('a')).to.include({ rank: 'next' });
      expect(await rejection(rebuilt.apply([], 3n))).to.be.instanceOf(LeaseLost);
    });
  });
}
