import { expect } from 'chai';
import { patch, put, remove } from '../../../src/views/projection.js';
import type { Build, Query } from '../../../src/views/read-model.js';
import { rejection } from '../../support/rejection.js';
import { at, type Bench, keysOf, liveBuild, thing, things } from './support.js';

export function lookupsContract({ readModel }: Bench): void {
  describe('lookups', () => {
    let build: Build;

    beforeEach(async () => {
      build = await liveBuild(readModel());
    });
    afterEach(() => build.close());

    const find = (query: Query) => readModel().find(things, query);
    const keys = async (query: Query) => keysOf(await find(query));

    it('finds by equality on the leading fields and a range on the last', async () => {
      await build.apply([at(1n, thing('a', '1'), thing('b', '2'), thing('c', '3'), thing('d', '2', 'org-2'))], 1n);
      expect(await keys({ where: { orgId: 'org-1' } })).to.deep.equal(['a', 'b', 'c']);
      expect(await keys({ where: { orgId: 'org-1', rank: '2' } })).to.deep.equal(['b']);
      expect(await keys({ where: { rank: '2', orgId: 'org-1' } })).to.deep.equal(['b']);
      expect(await keys({ where: { orgId: 'org-1', rank: { above: '1' } } })).to.deep.equal(['b', 'c']);
      expect(await keys({ where: { orgId: 'org-1', rank: { atMost: '2' } } })).to.deep.equal(['a', 'b']);
      expect(await keys({ where: { orgId: 'org-1', rank: { above: '1', atMost: '2' } } })).to.deep.equal(['b']);
    });

    it('follows a document as its fields change, and forgets it with its removal', async () => {
      await build.apply([at(1n, thing('a', '1'), thing('b', '1'))], 1n);
      await build.apply([at(2n, patch('a', { rank: '2' }), remove('b'))], 2n);
      expect(await keys({ where: { orgId: 'org-1', rank: '1' } })).to.deep.equal([]);
      expect(await keys({ where: { orgId: 'org-1', rank: '2' } })).to.deep.equal(['a']);
    });

    it('tells values apart by every character, and texts from numbers', async () => {
      const ranks = ['a', 'A', 'a ', ' a', 'ä', 'a\u0308', '%', '_', '*', '', '1', '1.0', 'null'];
      await build.apply([at(1n, ...ranks.map((rank, index) => thing(`key-${index}`, rank)))], 1n);
      await build.apply(
        [at(2n, put('number', { orgId: 'org-1', rank: 1 }), put('none', { orgId: 'org-1', rank: null }))],
        2n,
      );
      for (const [index, rank] of ranks.entries()) {
        expect(await keys({ where: { orgId: 'org-1', rank } }), `rank ${rank}`).to.deep.equal([`key-${index}`]);
      }
      expect(await keys({ where: { orgId: 'org-1', rank: 1 } })).to.deep.equal(['number']);
      expect(await keys({ where: { orgId: 'org-1', rank: null } })).to.deep.equal(['none']);
    });

    it('returns at most the requested number, in key order', async () => {
      const all = ['b', 'a', 'B', 'z', 'ä', '10', '9'];
      await build.apply([at(1n, ...all.map((key) => thing(key)))], 1n);
      expect(await keys({ where: {} })).to.deep.equal(['10', '9', 'B', 'a', 'b', 'z', 'ä']);
      expect(await keys({ where: {}, limit: 3 })).to.deep.equal(['10', '9', 'B']);
      expect(await keys({ where: { orgId: 'org-1' }, after: 'B', limit: 2 })).to.deep.equal(['a', 'b']);
      expect(await keys({ where: { orgId: 'org-1', rank: { above: '' } }, after: 'b' })).to.deep.equal(['z', 'ä']);
    });

    it('gives a range from its highest value on, each value by its keys backwards', async () => {
      const ranked = [thing('a', '3'), thing('b', '1'), thing('c', '2'), thing('d', '3'), thing('e', '2', 'org-2')];
      await build.apply([at(1n, ...ranked)], 1n);
      const where = { orgId: 'org-1', rank: { above: '1' } };
      expect(await keys({ where, order: 'from-highest' })).to.deep.equal(['d', 'a', 'c']);
      expect(await keys({ where, order: 'from-highest', limit: 2 })).to.deep.equal(['d', 'a']);
    });

    it('gives them backwards, page by page', async () => {
      const all = ['b', 'a', 'B', 'z', '10'];
      await build.apply([at(1n, ...all.map((key) => thing(key)), thing('c', 'a', 'org-2'))], 1n);
      const backwards = { direction: 'backwards' } as const;
      expect(await keys({ where: { orgId: 'org-1' }, ...backwards })).to.deep.equal(['z', 'b', 'a', 'B', '10']);
      expect(await keys({ where: { orgId: 'org-1', rank: 'a' }, ...backwards, after: 'b', limit: 2 })).to.deep.equal([
        'a',
        'B',
      ]);
      expect(await keys({ where: {}, ...backwards, after: 'c', limit: 2 })).to.deep.equal(['b', 'a']);
      expect(await keys({ where: { orgId: 'org-1' }, ...backwards, after: '10' })).to.deep.equal([]);
    });

    it('counts what matches, up to a limit, and nothing that was removed', async () => {
      const count = (where: Query['where'], atMost = 100) => readModel().count(things, where, atMost);
      expect(await count({ orgId: 'org-1' })).to.equal(0);
      const many = Array.from({ length: 12 }, (_, index) => thing(`key-${index}`, String(index % 3)));
      await build.apply([at(1n, ...many, thing('theirs', '1', 'org-2'))], 1n);
      await build.apply([at(2n, remove('key-0'), patch('key-3', { rank: '9' }))], 2n);
      expect(await count({})).to.equal(12);
      expect(await count({ orgId: 'org-1' })).to.equal(11);
      expect(await count({ orgId: 'org-1', rank: '0' })).to.equal(2);
      expect(await count({ orgId: 'org-1' }, 4)).to.equal(4);
      expect(await rejection(count({ name: 'a' }))).to.be.instanceOf(RangeError);
    });

    it('gives 100 where nothing is said, and up to 1,000', async () => {
      const many = Array.from({ length: 1_001 }, (_, index) => thing(`key-${String(index).padStart(4, '0')}`));
      await build.apply([at(1n, ...many)], 1n);
      expect(await keys({ where: { orgId: 'org-1' } })).to.have.length(100);
      expect(await keys({ where: { orgId: 'org-1' }, limit: 1_000 })).to.have.length(1_000);
      for (const limit of [0, 1_001, 1.5, -1]) {
        expect(await rejection(find({ where: {}, limit })), `limit ${limit}`).to.be.instanceOf(RangeError);
      }
    });

    it('moves nothing to another page while documents come and go', async () => {
      const every = (from: number) => Array.from({ length: 10 }, (_, index) => `key-${from + 2 * index}`);
      await build.apply([at(1n, ...every(100).map((key) => thing(key)))], 1n);
      const seen: string[] = [];
      let position = 2n;
      for (let after: string | undefined; ; ) {
        const page = await keys({ where: { orgId: 'org-1' }, limit: 3, ...(after !== undefined && { after }) });
        seen.push(...page);
        after = page.at(-1);
        if (after === undefined) break;
        // Meanwhile one comes before the page, and what was seen goes.
        await build.apply([at(position, thing(`key-0${position}`), ...page.map((key) => remove(key)))], position);
        position += 1n;
      }
      expect(seen).to.deep.equal(every(100));
    });

    it('refuses a lookup that no index serves', async () => {
      const refused: Query['where'][] = [
        { name: 'a' },
        { rank: 'a' },
        { orgId: { above: 'a' }, rank: 'a' },
        { orgId: ['org-1'] },
        { orgId: 'org-1', name: 'a' },
      ];
      for (const where of refused) {
        expect(await rejection(find({ where })), JSON.stringify(where)).to.be.instanceOf(RangeError);
      }
      const order = 'from-highest';
      expect(await rejection(find({ where: { orgId: 'org-1' }, order }))).to.be.instanceOf(RangeError);
      const where = { orgId: 'org-1', rank: { above: '1' } };
      expect(await rejection(find({ where, order, after: 'a' }))).to.be.instanceOf(RangeError);
    });
  });
}
