import { expect } from 'chai';
import { mongoRateCounts } from '../../src/stores/rate-counts/mongodb/mongodb-rate-counts.js';
import { onMongoDb } from '../support/mongodb/on-mongodb.js';
import { until } from '../support/until.js';

onMongoDb('rate counts', ({ database }) => {
  describe('the counts of rate limits on MongoDB', () => {
    const events = { name: 'events', windowMs: 60_000 };

    it('add up the counts of all instances, in any order', async () => {
      const instances = Array.from({ length: 4 }, () => mongoRateCounts(database('rate-counts')));
      const added = await Promise.all(
        Array.from({ length: 40 }, (_, index) => instances[index % 4]?.add(events, 'acme', 1 + (index % 3))),
      );
      const total = Array.from({ length: 40 }, (_, index) => 1 + (index % 3)).reduce((one, other) => one + other);
      expect(Math.max(...added.map((each) => each?.count ?? 0))).to.equal(total);
      for (const each of added) expect(each?.resetMs).to.be.within(1, 60_000);
    });

    it('are separate for each limit and key', async () => {
      const counts = mongoRateCounts(database('rate-counts-apart'));
      await counts.add(events, 'acme', 5);
      expect(await counts.add(events, 'other', 1)).to.include({ count: 1 });
      expect(await counts.add({ ...events, name: 'failures' }, 'acme', 2)).to.include({ count: 2 });
    });

    it('begin anew in the next window, also before the server has removed the last one', async () => {
      const counts = mongoRateCounts(database('rate-counts-windows'));
      const short = { name: 'short', windowMs: 300 };
      expect(await counts.add(short, 'acme', 5)).to.include({ count: 5 });
      expect(await counts.add(short, 'acme', 1)).to.include({ count: 6 });
      await until(async () => (await counts.add(short, 'acme', 1)).count === 1, 'the next window');
    });

    it('hold no organisation and no address in the clear', async () => {
      const place = database('rate-counts-names');
      await mongoRateCounts(place).add(events, 'the-organisation', 1);
      const stored = await place.db.collection('rate-counts').find({}).toArray();
      expect(stored).to.have.length(1);
      expect(JSON.stringify(stored)).not.to.include('the-organisation');
    });
  });
});
