import { expect } from 'chai';
import type { JsonObject } from '../../../src/stores/event-store/event-store.js';
import { patch, put, remove } from '../../../src/views/projection.js';
import type { Build } from '../../../src/views/read-model.js';
import { rejection } from '../../support/rejection.js';
import { at, type Bench, keysOf, liveBuild, thing, things } from './support.js';

/** A value that no store can hold, in a place where only the types forbid it. */
const unstorable = { orgId: 'org-1', rank: 10n } as unknown as JsonObject;

export function documentsContract({ readModel, another }: Bench): void {
  describe('documents and checkpoint', () => {
    let build: Build;

    beforeEach(async () => {
      build = await liveBuild(readModel());
    });
    afterEach(() => build.close());

    const get = (key: string) => readModel().get(things, key);
    const position = async () => (await build.checkpoint()).position;

    it('begins without documents and without a checkpoint', async () => {
      expect(await position()).to.equal(undefined);
      expect(await readModel().position(things)).to.equal(undefined);
      expect(await get('a')).to.equal(undefined);
      expect(await readModel().find(things, { where: {} })).to.deep.equal([]);
    });

    it('writes the documents of a batch and moves the checkpoint to its end', async () => {
      await build.apply([at(3n, thing('a')), at(5n, thing('b'))], 7n);
      expect(await get('a')).to.deep.equal({ orgId: 'org-1', rank: 'a', name: 'a' });
      expect(await get('b')).to.deep.equal({ orgId: 'org-1', rank: 'a', name: 'b' });
      expect(await position()).to.equal(7n);
      expect(await readModel().position(things)).to.equal(7n);
    });

    it('keeps both for the next process', async () => {
      await build.apply([at(3n, thing('a'))], 7n);
      const next = await another();
      expect(await next.get(things, 'a')).to.include({ name: 'a' });
      expect(await next.position(things)).to.equal(7n);
    });

    it('moves the checkpoint also where nothing is to be written', async () => {
      await build.apply([], 4n);
      expect(await position()).to.equal(4n);
    });

    it('writes neither documents nor checkpoint when a batch fails in the middle', async () => {
      await build.apply([at(1n, thing('a'))], 1n);
      const batch = [at(2n, thing('b')), at(3n, patch('a', { rank: 'z' })), at(4n, put('c', unstorable))];
      expect(await rejection(build.apply(batch, 4n))).to.be.an('error');

      expect(await get('b')).to.equal(undefined);
      expect(await get('a')).to.include({ rank: 'a' });
      expect(await position()).to.equal(1n);
    });

    it('continues after a failed batch', async () => {
      await rejection(build.apply([at(1n, thing('a')), at(2n, put('b', unstorable))], 2n));
      await build.apply([at(1n, thing('a')), at(2n, thing('b'))], 2n);
      expect(await get('b')).to.include({ name: 'b' });
      expect(await position()).to.equal(2n);
    });

    it('sets the patched fields and leaves the others', async () => {
      await build.apply([at(1n, put('a', { orgId: 'org-1', rank: 'a', count: 1, deep: { x: 1, y: 2 } }))], 1n);
      await build.apply([at(2n, patch('a', { rank: null, deep: { x: 3 }, added: [true, 'ß', 1.5] }))], 2n);
      expect(await get('a')).to.deep.equal({
        orgId: 'org-1',
        rank: null,
        count: 1,
        deep: { x: 3 },
        added: [true, 'ß', 1.5],
      });
    });

    it('makes no document by patching one that is not there, or is there no more', async () => {
      await build.apply([at(1n, thing('a')), at(2n, remove('a')), at(3n, patch('a', { rank: 'b' }))], 3n);
      await build.apply([at(4n, patch('a', { rank: 'c' }), patch('b', { rank: 'c' }))], 4n);
      expect(await readModel().find(things, { where: {} })).to.deep.equal([]);
    });

    it('applies all that one event does to one document', async () => {
      await build.apply([at(1n, thing('a'), patch('a', { rank: 'b' }), patch('a', { name: 'renamed' }))], 1n);
      await build.apply([at(2n, patch('a', { rank: 'c' }), patch('a', { added: 1 }))], 2n);
      expect(await get('a')).to.deep.equal({ orgId: 'org-1', rank: 'c', name: 'renamed', added: 1 });
    });

    it('changes nothing when a batch is applied again', async () => {
      const batch = [
        at(1n, thing('a'), thing('b')),
        at(2n, patch('a', { rank: 'b' })),
        at(3n, remove('b')),
        at(4n, thing('c'), put('a', { orgId: 'org-2', rank: 'x', name: 'a' })),
        at(5n, patch('c', { rank: 'q' })),
      ];
      await build.apply(batch, 5n);
      const once = await readModel().find(things, { where: {} });
      expect(keysOf(once)).to.deep.equal(['a', 'c']);

      await build.apply(batch, 5n);
      await build.apply(batch.slice(1, 3), 3n);
      await build.apply([...batch.slice(3), at(6n)], 6n);
      expect(await readModel().find(things, { where: {} })).to.deep.equal(once);
    });

    it('ignores events older than a document, also after its removal', async () => {
      await build.apply([at(8n, thing('a', 'new'), thing('b')), at(9n, remove('b'))], 9n);
      const older = [at(5n, thing('a', 'old'), thing('b', 'old')), at(6n, patch('a', { rank: 'old' }), remove('a'))];
      await build.apply(older, 6n);
      await build.apply([...older, at(10n, thing('c'))], 10n);

      expect(await get('a')).to.include({ rank: 'new' });
      expect(await get('b')).to.equal(undefined);
      expect(await get('c')).to.include({ name: 'c' });
    });

    it('never moves the checkpoint back', async () => {
      await build.apply([], 10n);
      await build.apply([], 9n);
      expect(await position()).to.equal(10n);
    });

    it('takes position 9 as earlier than 10, and keeps positions that no double can hold', async () => {
      await build.apply([at(9n, thing('a', 'nine'))], 9n);
      await build.apply([at(10n, thing('a', 'ten'))], 10n);
      expect(await get('a')).to.include({ rank: 'ten' });

      const huge = 2n ** 53n + 1n;
      await build.apply([at(huge, thing('a', 'huge'))], huge);
      await build.apply([at(huge + 1n, thing('a', 'next'))], huge + 1n);
      expect(await get('a')).to.include({ rank: 'next' });
      expect(await position()).to.equal(huge + 1n);

      const largest = 2n ** 63n - 1n;
      await build.apply([], largest);
      expect(await (await another()).position(things)).to.equal(largest);
    });

    it('gives documents back as they were: any text, null, numbers, lists and objects', async () => {
      const document = {
        ...{
          orgId: 'org-1',
          rank: null,
          empty: '',
          text: 'ß 漢字 🎉 "quoted" \\ \n $.x',
          big: 2 ** 53 - 1,
          half: -0.5,
        },
        list: [1, [], {}, null, false],
        nested: { 'a.b': { $c: 'd' } },
        '': 'no name',
      };
      await build.apply([at(1n, put("key ' % 漢字", document))], 1n);
      expect(await get("key ' % 漢字")).to.deep.equal(document);
      expect(await readModel().find(things, { where: { orgId: 'org-1', rank: null } })).to.have.length(1);
    });
  });
}
