import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { openMongoDeliveryQueue } from '../../../src/deliveries/mongodb/mongodb-delivery-queue.js';
import type { DeliveryQueue } from '../../../src/deliveries/queue/delivery-queue.js';
import type { LeasedDelivery } from '../../../src/deliveries/queue/leasing.js';
import { batchOf, failed, leaseRequest, queuedListener, succeeded } from '../../support/deliveries/delivery-batches.js';
import { failing } from '../../support/mongodb/faults/failing-db.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';
import { rejection } from '../../support/rejection.js';
import { until } from '../../support/until.js';

const heartbeat = { beatMs: 100, deadAfterMs: 2_000, trustMs: 1_500, checkMs: 50 };
const request = () => leaseRequest({ leaseMs: 3_600_000 });

onMongoDb('the delivery queue: heartbeats of instances', ({ database }) => {
  describe('the delivery queue: heartbeats of instances', () => {
    let dying: DeliveryQueue;
    let other: DeliveryQueue;
    let rows: () => Promise<readonly string[]>;
    let place: string;
    beforeEach(async () => {
      place = randomUUID();
      const { db } = database(place);
      [dying, other] = (await Promise.all([
        openMongoDeliveryQueue({ db, patient: db, heartbeat }),
        openMongoDeliveryQueue({ db, patient: db, heartbeat }),
      ])) as [DeliveryQueue, DeliveryQueue];
      rows = async () =>
        (await db.collection<{ _id: string }>('queue.instances').find().toArray()).map(({ _id }) => _id);
    });
    afterEach(() => Promise.all([dying.close(), other.close()]));

    async function takenOver(count: number): Promise<readonly LeasedDelivery[]> {
      const found: LeasedDelivery[] = [];
      await until(
        async () => found.push(...(await other.lease(request())).deliveries) >= count,
        'the other instance to lease them',
      );
      return found;
    }

    it('end the leases of a dead instance long before the lease expiry, and its record with them', async () => {
      await dying.enqueue(batchOf([queuedListener(), queuedListener({ orgId: 'globex' })], 5), 900);
      const { deliveries } = await dying.lease(request());
      expect(deliveries).to.have.length(10);
      const [dead] = await rows();
      await dying.close();
      const again = await takenOver(10);
      expect(again.map(({ id }) => id)).to.have.members(deliveries.map(({ id }) => id));
      expect((await other.record(again.map(succeeded), 1_600)).counted).to.equal(10);
      await until(async () => {
        await other.lease(request());
        return !(await rows()).includes(dead ?? '');
      }, 'the record of the dead instance to be removed');
    });

    it('say when the leases of another instance would end, so that they are looked at in time', async () => {
      await dying.enqueue(batchOf([queuedListener()], 3), 900);
      const asked = request();
      await dying.lease(asked);
      await dying.close();
      await other.lease(asked);
      const looksAgain: number[] = [];
      await until(async () => {
        const { nextDueAt } = await other.lease(asked);
        if (nextDueAt !== undefined) looksAgain.push(nextDueAt - asked.now);
        return looksAgain.length > 0;
      }, 'the time at which it looks again');
      expect(looksAgain[0]).to.be.within(1, heartbeat.deadAfterMs + 10);
      await until(
        async () => (await other.lease(asked)).deliveries.length === 3,
        'the deliveries of the dead instance',
      );
    });

    it('end the lock of an ordered listener with the lease', async () => {
      await dying.enqueue(batchOf([queuedListener({ ordered: true })], 2, 'event'), 900);
      expect((await dying.lease(request())).deliveries.map(({ eventId }) => eventId)).to.eql(['event-0']);
      await dying.close();
      expect((await takenOver(1)).map(({ eventId }) => eventId)).to.eql(['event-0']);
    });

    it('end the lock of an ordered listener whose holder died between the lock and the lease', async () => {
      await other.enqueue(batchOf([queuedListener({ ordered: true })], 1, 'event'), 900);
      const { db } = database(place);
      const locking = await openMongoDeliveryQueue({
        ...failing(db, ({ collection, method }) =>
          collection === 'queue.deliveries' && method === 'updateMany' ? 'before' : undefined,
        ),
        heartbeat,
      });
      expect(await rejection(locking.lease(request()))).to.be.an('error');
      await locking.close();
      expect((await takenOver(1)).map(({ eventId }) => eventId)).to.eql(['event-0']);
    });

    it('end the probe of a circuit breaker, which another instance makes again', async () => {
      await dying.enqueue(batchOf([queuedListener()], 11), 900);
      const { deliveries } = await dying.lease(leaseRequest({ limit: 10 }));
      await dying.record(
        deliveries.map((each) => failed(each, 90_000)),
        1_000,
      );
      const probing = leaseRequest({ leaseMs: 3_600_000, now: 31_000 });
      const { deliveries: probes } = await dying.lease(probing);
      expect(probes).to.have.length(1);
      await dying.close();
      const again: LeasedDelivery[] = [];
      const isProbed = async () => again.push(...(await other.lease(probing)).deliveries) > 0;
      await until(isProbed, 'the other instance to probe');
      expect(again.map(({ id }) => id)).to.eql(probes.map(({ id }) => id));
    });

    it('are given up while nothing is leased', async () => {
      await dying.enqueue(batchOf([queuedListener()]), 900);
      await dying.record((await dying.lease(request())).deliveries.map(succeeded), 1_000);
      await until(async () => (await rows()).length === 0, 'the end of the beats');
      await dying.enqueue(batchOf([queuedListener()]), 1_700);
      const { deliveries, isHeld } = await dying.lease(leaseRequest({ now: 1_800 }));
      await pause(2 * heartbeat.deadAfterMs);
      expect([deliveries.length, isHeld?.(), (await rows()).length]).to.eql([1, true, 1]);
    });

    it('leave the leases of an instance that beats', async () => {
      await dying.enqueue(batchOf([queuedListener()], 3), 900);
      const { deliveries, isHeld } = await dying.lease(request());
      for (let looks = 0; looks < 30; looks += 1) {
        expect((await other.lease(request())).deliveries).to.eql([]);
        await pause(heartbeat.deadAfterMs / 10);
      }
      expect(isHeld?.()).to.equal(true);
      expect((await dying.record(deliveries.map(succeeded), 1_600)).counted).to.equal(3);
    });

    it('tell an instance that was frozen that it has lost its leases, for good, and ignore its outcomes', async () => {
      await dying.enqueue(batchOf([queuedListener()], 3), 900);
      const { deliveries, isHeld } = await dying.lease(request());
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, heartbeat.trustMs + 50); // blocks this thread
      expect(isHeld?.()).to.equal(false);
      const again = await takenOver(3);
      expect(isHeld?.()).to.equal(false);
      expect((await dying.record(deliveries.map(succeeded), 1_600)).counted).to.equal(0);
      expect((await other.record(again.map(succeeded), 1_600)).counted).to.equal(3);
      await dying.enqueue(batchOf([queuedListener()], 1, 'later'), 1_700);
      const later = await dying.lease(leaseRequest({ now: 1_800 }));
      expect([later.deliveries.length, later.isHeld?.()]).to.eql([1, true]);
    });
  });
});
