import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Db } from 'mongodb';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
import { daysOf } from '../../support/deliveries/days-of.js';
import { batchOf, leaseRequest, queuedListener, succeeded } from '../../support/deliveries/delivery-batches.js';
import { failing } from '../../support/mongodb/faults/failing-db.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { until } from '../../support/until.js';

onMongoDb('the delivery queue: statistics', ({ database }) => {
  describe('the delivery queue: statistics', () => {
    let db: Db;
    beforeEach(() => {
      ({ db } = database(randomUUID()));
    });

    async function deliver(queue: DeliveryQueue): Promise<void> {
      await queue.enqueue(batchOf([queuedListener(), queuedListener()], 3), 900);
      const { deliveries } = await queue.lease(leaseRequest());
      expect((await queue.record(deliveries.map(succeeded), 1_000)).counted).to.equal(6);
    }
    const seenBy = async (queue: DeliveryQueue) => {
      const days = await daysOf(queue, { orgId: 'acme', from: '1970-01-01', to: '1970-01-01' });
      const minutes = await queue.activity({ from: 0, to: 60_000 });
      const { succeeded: ended } = await queue.counts(1_000);
      return [days.map((day) => day.succeeded), minutes.map((each) => [each.events, each.succeeded]), ended];
    };
    const all = [[3, 3], [[3, 6]], 6];

    it('are read at once by the instance that recorded, and soon by others', async () => {
      const [one, other] = await Promise.all([1, 2].map(() => openMongoDeliveryQueue({ db, patient: db })));
      if (!one || !other) throw new Error('both are open');
      await deliver(one);
      await until(
        async () => JSON.stringify(await seenBy(other)) === JSON.stringify(all),
        'the statistics of the other',
      );
      expect(await seenBy(one)).to.deep.equal(all);
      await Promise.all([one.close(), other.close()]);
    });

    it('are written when the queue closes', async () => {
      const one = await openMongoDeliveryQueue({ db, patient: db });
      await deliver(one);
      await one.close();
      const other = await openMongoDeliveryQueue({ db, patient: db });
      expect(await seenBy(other)).to.deep.equal(all);
      await other.close();
    });

    it('are written later if MongoDB refuses them', async () => {
      let refusals = 0;
      const one = await openMongoDeliveryQueue(
        failing(db, ({ collection }) => {
          if (collection !== 'queue.halfHours' || refusals === 2) return undefined;
          refusals += 1;
          return 'before';
        }),
      );
      await deliver(one);
      await until(() => refusals === 2, 'two refusals');
      expect(await seenBy(one)).to.deep.equal(all);
      await one.close();
    });

    it('of a minute are the sums of all instances', async () => {
      const queues = await Promise.all([1, 2, 3].map(() => openMongoDeliveryQueue({ db, patient: db })));
      for (const queue of queues) await deliver(queue);
      await Promise.all(queues.map((queue) => queue.close()));
      const other = await openMongoDeliveryQueue({ db, patient: db });
      expect((await seenBy(other))[1]).to.deep.equal([[9, 18]]);
      await other.close();
    });
  });
});
