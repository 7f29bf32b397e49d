import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { DeliveryQueue } from '../../../src/deliveries/delivery-queue.js';
import { openMongoDeliveryQueue } from '../../../src/deliveries/mongodb/mongodb-delivery-queue.js';
import { type MongoDatabase, openMongoDb } from '../../../src/mongodb/mongodb-database.js';
import { batchOf, failed, leaseRequest, released, succeeded, target } from '../../support/delivery-batches.js';
import { failing } from '../../support/mongodb/failing-db.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { rejection } from '../../support/rejection.js';

onMongoDb('the delivery queue: leasing by several instances', ({ server, database }) => {
  describe('the delivery queue: leasing by several instances', () => {
    /** What two instances have: the same database over connections of their own. */
    function twoInstances(): readonly [MongoDatabase, MongoDatabase] {
      const one = database(randomUUID());
      const other = openMongoDb({ url: server.url, database: one.db.databaseName });
      opened.push(other);
      return [one, other];
    }
    const opened: MongoDatabase[] = [];
    after(() => Promise.all(opened.map(({ close }) => close())));

    it('never lets two instances that race hold one delivery at once', async () => {
      const queues = await Promise.all(twoInstances().map(openMongoDeliveryQueue));
      const hooks = Array.from({ length: 4 }, () => target());
      await queues[0]?.enqueue(batchOf(hooks, 60), 900);
      const held = new Set<string>();
      const twice: string[] = [];
      const done: string[] = [];

      async function work(queue: DeliveryQueue): Promise<void> {
        for (let lastFew = 0; lastFew < 3; ) {
          const { deliveries } = await queue.lease(leaseRequest({ limit: 12, perListener: 5 }));
          if (deliveries.length === 0) lastFew += 1;
          for (const { id } of deliveries) {
            if (held.has(id)) twice.push(id);
            held.add(id);
          }
          const outcomes = deliveries.map((delivery) =>
            Math.random() < 0.2 ? released(delivery) : succeeded(delivery),
          );
          for (const { id, kind } of outcomes) {
            held.delete(id);
            if (kind === 'succeeded') done.push(id);
          }
          expect(await queue.record(outcomes, 1_000)).to.equal(outcomes.length);
        }
      }
      await Promise.all([...queues, ...queues].map(work));

      expect(twice).to.deep.equal([]);
      expect(done.length).to.equal(240);
      expect(new Set(done).size).to.equal(240);
      expect(await queues[0]?.counts(1_000)).to.include({ waiting: 0, succeeded: 240 });
    });

    it('cancels what it finds behind a gate that closed just before, and leases none of it', async () => {
      const { db } = database(randomUUID());
      const queue = await openMongoDeliveryQueue({ db, patient: db });
      const [ending, staying] = [target(), target()];
      await queue.enqueue(batchOf([ending, staying], 2), 900);
      // As whoever closes a gate leaves it before it cancels anything; the hook was found a moment earlier.
      await db
        .collection('queue.targets')
        .updateOne({ hookUrl: ending.hookUrl, closed: false }, { $set: { closed: true } });

      const { deliveries } = await queue.lease(leaseRequest());
      expect(deliveries.length).to.equal(2);
      expect(new Set(deliveries.map(({ listenerId }) => listenerId)).size).to.equal(1);
      expect(await queue.counts(1_000)).to.include({ waiting: 2, cancelled: 2 });
    });

    it('comes back at the latest when the lease would have ended to a retry whose recorder died half-way', async () => {
      const { db } = database(randomUUID());
      const queue = await openMongoDeliveryQueue({ db, patient: db });
      await queue.enqueue(batchOf([target()]), 900);
      const dying = await openMongoDeliveryQueue(
        failing(db, ({ collection }) => (collection === 'queue.targets' ? 'before' : undefined)),
      );
      const { deliveries } = await queue.lease(leaseRequest({ now: 1_000, leaseMs: 9_000 }));
      await rejection(
        dying.record(
          deliveries.map((delivery) => failed(delivery, 5_000)),
          1_000,
        ),
      );

      const { nextDueAt } = await queue.lease(leaseRequest({ now: 5_000 }));
      expect(nextDueAt).to.equal(10_000);
      const again = await queue.lease(leaseRequest({ now: 10_000 }));
      expect(again.deliveries.map(({ attempt }) => attempt)).to.deep.equal([2]);
    });

    it('gives deliveries to the instance that asks when the holder of their leases has died', async () => {
      const [one, another] = twoInstances();
      const dying = await openMongoDeliveryQueue(one);
      await dying.enqueue(batchOf([target()], 5), 900);
      await dying.lease(leaseRequest({ now: 1_000, leaseMs: 500 }));
      const other = await openMongoDeliveryQueue(another);
      const { deliveries } = await other.lease(leaseRequest({ now: 1_500 }));
      expect(deliveries.length).to.equal(5);
      expect(await other.record(deliveries.map(succeeded), 1_600)).to.equal(5);
    });

    it('refuses a database whose indexes are not the ones it needs', async () => {
      const { db } = database(randomUUID());
      await db.collection('queue.targets').createIndex({ nextDue: -1 }, { name: 'due' });
      expect(await rejection(openMongoDeliveryQueue({ db, patient: db }))).to.include({ code: 'store_unusable' });
    });
  });
});
