import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Db } from 'mongodb';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
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
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { rejection } from '../../support/rejection.js';

onMongoDb('the delivery queue: state of listeners that owners share', ({ database }) => {
  describe('the delivery queue: state of listeners that owners share', () => {
    /** Queues that share no memory, as in different processes. */
    async function instances(count: number) {
      const { db } = database(randomUUID());
      const queues = await Promise.all(
        Array.from({ length: count }, () => openMongoDeliveryQueue({ db, patient: db })),
      );
      return { db, queues, one: queues[0] as DeliveryQueue };
    }

    it('keeps the rate limit of a listener whose owner changes', async () => {
      const { queues, one } = await instances(4);
      await one.enqueue(batchOf([queuedListener({ ratePerSecond: 20 })], 100), 900);
      let leased = 0;
      for (let step = 0; step < 10; step += 1) {
        const owner = queues[step % queues.length] as DeliveryQueue;
        leased += (await owner.lease(leaseRequest({ now: 1_000 + 100 * step }))).deliveries.length;
      }
      expect(leased).to.be.within(18, 22);
    });

    it('probes an open breaker with one delivery, also by those that have just lost it', async () => {
      const { queues, one } = await instances(4);
      const listener = queuedListener();
      await one.enqueue(batchOf([listener], 30), 900);
      const { deliveries } = await one.lease(leaseRequest({ limit: 10 }));
      const retried = deliveries.map((each) => failed(each, 90_000));
      const [failure] = (await one.record(retried, 1_000)).troubled;
      expect(failure?.health.breaker).to.include({ openings: 1 });
      const leased = async (now: number) => Promise.all(queues.map((queue) => queue.lease(leaseRequest({ now }))));
      expect((await leased(30_999)).flatMap((batch) => batch.deliveries)).to.deep.equal([]);
      const probes = await leased(31_000);
      expect(probes.flatMap((batch) => batch.deliveries)).to.have.length(1);

      const prober = probes.findIndex((batch) => batch.deliveries.length === 1);
      const outcomes = probes.flatMap((batch) => batch.deliveries).map(succeeded);
      const recorded = await queues[prober]?.record(outcomes, 32_000);
      expect(recorded?.troubled.map(({ listenerId }) => listenerId)).to.deep.equal([listener.listenerId]);
      expect((await one.lease(leaseRequest({ now: 32_000 }))).deliveries).to.have.length(19);
    });

    it('loses no failure when several calls record at once', async () => {
      const { one } = await instances(1);
      const listener = queuedListener();
      await one.enqueue(batchOf([listener], 24), 900);
      const { deliveries } = await one.lease(leaseRequest());
      await Promise.all(
        [0, 1, 2, 3].map(async (part) => {
          for (const each of deliveries.slice(6 * part, 6 * part + 6)) await one.record([failed(each, 5_000)], 1_000);
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
      const slow = await losing(db, 15);
      const { deliveries } = await slow.lease(leaseRequest());
      const { troubled } = await slow.record(
        deliveries.map((each) => failed(each, 5_000)),
        1_000,
      );
      expect(troubled.map(({ health }) => health.failing?.attempts)).to.deep.equal([3]);
      expect(
        (await one.listenerStates([listener.listenerId])).get(listener.listenerId)?.health?.failing?.attempts,
      ).to.equal(3);
    });

    it('rejects with StoreUnavailable when it loses the compare and set for seconds', async () => {
      const { db, one } = await instances(1);
      await one.enqueue(batchOf([queuedListener()]), 900);
      const slow = await losing(db, Number.POSITIVE_INFINITY);
      const { deliveries } = await slow.lease(leaseRequest());
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

    it('leases one delivery of an ordered listener at a time, in order, when several calls race', async () => {
      const { one } = await instances(1);
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
      await Promise.all([one, one, one, one].map(work));
      expect(most).to.equal(1);
      expect(order).to.deep.equal(Array.from({ length: 30 }, (_, index) => `event-${index}`));
    });

    it('leases nothing of a listener that has become ordered while earlier deliveries are under way', async () => {
      const { one } = await instances(1);
      const listener = queuedListener();
      await one.enqueue(batchOf([listener], 4, 'event'), 900);
      const { deliveries } = await one.lease(leaseRequest({ limit: 2 }));
      await one.enqueue(
        { ...emptyBatch, listeners: [changedListener(listener, { ordered: true, position: 2n })] },
        900,
      );
      expect((await one.lease(leaseRequest())).deliveries).to.deep.equal([]);
      await one.record(deliveries.map(succeeded), 1_000);
      expect((await one.lease(leaseRequest())).deliveries).to.have.length(1);
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
