import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { collectionsOf } from '../../../src/views/mongodb/collections.js';
import { openLiveBuilds } from '../../../src/views/mongodb/records.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';

onMongoDb('the live builds', ({ database }) => {
  describe('the live builds', () => {
    it('are read once for all lookups of a turn, and again for later ones', async () => {
      const { db } = database(randomUUID());
      const collections = collectionsOf(db);
      let reads = 0;
      const views = Object.create(collections.views, {
        find: {
          value() {
            reads += 1;
            return collections.views.find();
          },
        },
      });
      const live = openLiveBuilds({ ...collections, views });
      await live.set('listeners-v1', 'listeners-v1-a', undefined);
      expect(await Promise.all([live.of('listeners-v1'), live.of('replays-v1')])).to.deep.equal([
        'listeners-v1-a',
        undefined,
      ]);
      expect(reads).to.equal(1);
      await live.set('listeners-v1', 'listeners-v1-b', undefined);
      expect(await live.of('listeners-v1')).to.equal('listeners-v1-b');
      expect(reads).to.equal(2);
    });
  });
});
