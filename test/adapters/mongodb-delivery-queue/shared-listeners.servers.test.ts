import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Db } from 'mongodb';
import { openMongoDeliveryQueue } from '../../../src/deliveries/mongodb/mongodb-delivery-queue.js';
import type { DeliveryQueue } from '../../../src/deliveries/queue/delivery-queue.js';
import type { LeasedDelivery } from '../../../src/deliveries/queue/leasing.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import {
  batchOf,
  changedListener,
  emptyBatch,
  failed,
  leaseRequest,
  queuedListener,
  released,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import { failing } from '../../support/mongodb/faults/failing-db.js';
import { laterServer } from '../../support/mongodb/later-server.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { rejection } from '../../support/rejection.js';

onMongoDb('the delivery queue: state of listeners shared by instances', ({ database }) => {
  describe('the delivery queue: state of listeners shared by instances', () => {
    /** Queues that share no memory, as in different processes. */
    async function instances(count: number) {
      const { db } = database(randomUUID());
      const queues = await Promise.all(
        Array.from({ length: count }, () => openMongoDeliveryQueue({ db, patient: db })),
      );
      return { db, queues, one: queues[0] as DeliveryQueue, other: queues[1] as DeliveryQueue };
    }

    const leasedBy = async (queues: readonly DeliveryQueue[], now: number): Promise<readonly LeasedDelivery[]> =>
      (await Promise.all(queues.map((queue) => queue.lease(leaseRequest({ now }))))).flatMap(
        ({ deliveries }) => deliveries,
      );

    it('keeps the rate limit of a listener over all instances', async () => {
      const { queues, one } = await instances(4);
      await one.enqueue(batchOf([queuedListener({ ratePerSecond: 20 })], 100), 900);
      let leased = 0;
      for (let now = 1_000; now < 2_000; now += 100) leased += (await leasedBy(queues, now)).length;
      expect(leased).to.be.within(18, 22);
    });

    it('probes an open breaker with one delivery over all instances', async () => {
      const { queues, one, other } = await instances(4);
      const listener = queuedListener();
      await one.enqueue(batchOf([listener], 30), 900);
      const { deliveries } = await one.lease(leaseRequest({ limit: 10 }));
      const [failure] = (
        await one.record(
          deliveries.map((each) => failed(each, 90_000)),
          1_000,
        )
      ).troubled;
      expect(failure?.health.breaker).to.include({ openings: 1 });
      expect(await leasedBy(queues, 30_999)).to.deep.equal([]);
      const probes = await leasedBy(queues, 31_000);
      expect(probes).to.have.length(1);

      const { troubled } = await other.record(probes.map(succeeded), 32_000);
      expect(troubled.map(({ listenerId }) => listenerId)).to.deep.equal([listener.listenerId]);
      expect(await leasedBy(queues, 32_000)).to.have.length(19);
    });

    it('loses no failure when several instances record at once', async () => {
      const { queues, one } = await instances(4);
      const listener = queuedListener();
      await one.enqueue(batchOf([listener], 24), 900);
      const { deliveries } = await one.lease(leaseRequest());
      await Promise.all(
        queues.map(async (queue, index) => {
          for (const each of deliveries.slice(6 * index, 6 * index + 6))
            await queue.record([failed(each, 5_000)], 1_000);
        }),
      );
      expect((await one.listenerStates([listener.listenerId])).get(listener.listenerId)?.health.failing).to.include({
        since: 1_000,
        attempts: 24,
      });
    });

    /** An instance that loses the compare and set of its first `rounds` writes of a listener's health. */
    const losing = (db: Db, rounds: number) => {
      let lost = 0;
      const overtaken = failing(db, async ({ collection, method }) => {
        if (collection !== 'queue.listeners' || method !== 'bulkWrite' || lost === rounds) return undefined;
        lost += 1;
        await db.collection('queue.listeners').updateMany({}, { $set: { version: randomUUID() } });
        return undefined;
      });
      return openMongoDeliveryQueue(overtaken);
    };

    it('loses no failure when it loses the compare and set many times', async () => {
      const { db, one } = await instances(1);
      const listener = queuedListener();
      await one.enqueue(batchOf([listener], 3), 900);
      const { deliveries } = await one.lease(leaseRequest());
      const slow = await losing(db, 15);
      const { troubled } = await slow.record(
        deliveries.map((each) => failed(each, 5_000)),
        1_000,
      );
      expect(troubled.map(({ health }) => health.failing?.attempts)).to.deep.equal([3]);
      expect(
        (await one.listenerStates([listener.listenerId])).get(listener.listenerId)?.health?.failing?.attempts,
      ).to.equal(3);
    });

    it('rejects with StoreUnavailable when it loses the compare and set until the lease expires', async () => {
      const { db, one } = await instances(1);
      await one.enqueue(batchOf([queuedListener()]), 900);
      const { deliveries } = await one.lease(leaseRequest({ leaseMs: 1_500 }));
      const slow = await losing(db, Number.POSITIVE_INFINITY);
      const recorded = slow.record(
        deliveries.map((each) => failed(each, 5_000)),
        1_000,
      );
      expect(await rejection(recorded)).to.be.instanceOf(StoreUnavailable);
    });

    it('counts the successes of a healthy listener with its first failure, and writes nothing before', async () => {
      const { db, one } = await instances(1);
      const listener = queuedListener();
      await one.enqueue(batchOf([listener], 40), 900);
      const { deliveries } = await one.lease(leaseRequest());
      await one.record(deliveries.slice(0, 25).map(succeeded), 1_000);
      expect(await db.collection('queue.listeners').countDocuments({ health: { $exists: true } })).to.equal(0);
      const failures = deliveries.slice(25).map((each) => failed(each, 5_000));
      const { troubled } = await one.record(failures, 1_000);
      expect(troubled[0]?.health).to.deep.include({ recent: [[1_000, 40, 15]] });
      expect(troubled[0]?.health.breaker).to.equal(undefined);
    });

    it('leases one delivery of an ordered listener at a time, in order, when several instances race', async () => {
      const { queues, one } = await instances(4);
      const listener = queuedListener({ ordered: true });
      await one.enqueue(batchOf([listener], 30, 'event'), 900);
      const order: string[] = [];
      let underWay = 0;
      let most = 0;

      async function work(queue: DeliveryQueue): Promise<void> {
        while (order.length < 30) {
          const { deliveries } = await queue.lease(leaseRequest());
          underWay += deliveries.length;
          most = Math.max(most, underWay);
          await new Promise(setImmediate);
          underWay -= deliveries.length;
          const gaveBack = Math.random() < 0.2;
          if (!gaveBack) order.push(...deliveries.map(({ eventId }) => eventId));
          await queue.record(deliveries.map(gaveBack ? released : succeeded), 1_000);
        }
      }
      await Promise.all(queues.map(work));
      expect(most).to.equal(1);
      expect(order).to.deep.equal(Array.from({ length: 30 }, (_, index) => `event-${index}`));
    });

    it('continues an ordered listener when the lease of a dead holder has expired', async () => {
      const { db, one, other } = await instances(2);
      await one.enqueue(batchOf([queuedListener({ ordered: true })], 2, 'event'), 900);
      await one.lease(leaseRequest({ leaseMs: 30_000 }));
      expect((await other.lease(leaseRequest())).deliveries).to.deep.equal([]);
      const later = await openMongoDeliveryQueue(laterServer(db, 30_000));
      expect((await later.lease(leaseRequest())).deliveries.map(({ eventId }) => eventId)).to.deep.equal(['event-0']);
    });

    it('leases the next delivery of an ordered listener if the first is cancelled after the listener was locked', async () => {
      const { db, other } = await instances(2);
      const batch = batchOf([queuedListener({ ordered: true })], 2, 'event');
      const deliveries = batch.deliveries.map((each, index) => (index === 0 ? { ...each, replay: 'first' } : each));
      await other.enqueue({ ...batch, deliveries }, 900);
      const one = await openMongoDeliveryQueue(
        failing(db, async ({ collection, method }) => {
          // The listener is locked, and the delivery is about to be leased.
          if (collection === 'queue.deliveries' && method === 'updateMany') await other.withdraw({ replay: 'first' });
          return undefined;
        }),
      );
      expect((await one.lease(leaseRequest())).deliveries.map(({ eventId }) => eventId)).to.deep.equal(['event-1']);
    });

    it('leases nothing of a listener that has become ordered while earlier deliveries are under way', async () => {
      const { one, other } = await instances(2);
      const listener = queuedListener();
      await one.enqueue(batchOf([listener], 4, 'event'), 900);
      const { deliveries } = await one.lease(leaseRequest({ limit: 2 }));
      await one.enqueue(
        { ...emptyBatch, listeners: [changedListener(listener, { ordered: true, position: 2n })] },
        900,
      );
      expect((await other.lease(leaseRequest())).deliveries).to.deep.equal([]);
      await one.record(deliveries.map(succeeded), 1_000);
      expect((await other.lease(leaseRequest())).deliveries).to.have.length(1);
    });

    it('serves other organisations at once if the front is full of listeners of an organisation that has used up its share', async () => {
      const { one } = await instances(1);
      const crowd = Array.from({ length: 60 }, () => queuedListener({ orgId: 'crowd' }));
      await one.enqueue(batchOf(crowd), 800);
      await one.enqueue(batchOf([queuedListener({ orgId: 'later' })]), 900);
      const request = { limit: 10, perOrganisation: 4 };
      const { deliveries } = await one.lease(leaseRequest(request));
      expect(deliveries.map(({ orgId }) => orgId).sort()).to.deep.equal(['crowd', 'crowd', 'crowd', 'crowd', 'later']);
      const inFlightByOrganisation = new Map([['crowd', 4]]);
      expect(await one.lease(leaseRequest({ ...request, inFlightByOrganisation }))).to.deep.include({ deliveries: [] });
      await one.enqueue(batchOf([queuedListener({ orgId: 'latest' })]), 950);
      const more = await one.lease(leaseRequest({ ...request, inFlightByOrganisation }));
      expect(more.deliveries.map(({ orgId }) => orgId)).to.deep.equal(['latest']);
      expect(more.nextDueAt === undefined || more.nextDueAt > 1_000).to.equal(true);
    });
  });
});
