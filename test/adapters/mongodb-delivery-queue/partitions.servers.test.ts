import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { openMongoDeliveryQueue } from '../../../src/deliveries/mongodb/mongodb-delivery-queue.js';
import type { DeliveryQueue } from '../../../src/deliveries/queue/delivery-queue.js';
import { partitionOf } from '../../../src/deliveries/queue/policy/partition.js';
import { batchOf, leaseRequest, queuedListener, succeeded } from '../../support/deliveries/delivery-batches.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';

const count = 4;
/** An organisation of each partition. */
const orgIds = Array.from({ length: count }, (_, partition) => {
  for (let number = 0; ; number += 1) if (partitionOf(`org-${number}`, count) === partition) return `org-${number}`;
});

onMongoDb('the delivery queue: partitions of instances', ({ database }) => {
  describe('the delivery queue: partitions of instances', () => {
    let one: DeliveryQueue;
    let other: DeliveryQueue;
    /** Does not know the number of partitions. */
    let command: DeliveryQueue;
    beforeEach(async () => {
      const { db } = database(randomUUID());
      const open = (partitions?: number) => openMongoDeliveryQueue({ db, patient: db, partitions });
      [one, other, command] = await Promise.all([open(count), open(count), open()]);
    });
    afterEach(() => Promise.all([one.close(), other.close(), command.close()]));

    const enqueue = (queue: DeliveryQueue, now: number) =>
      Promise.all(orgIds.map((orgId) => queue.enqueue(batchOf([queuedListener({ orgId })]), now)));

    async function leased(queue: DeliveryQueue, partitions: readonly number[], now: number): Promise<string[]> {
      const { deliveries } = await queue.lease(leaseRequest({ now, partitions: new Set(partitions) }));
      return deliveries.map(({ orgId }) => orgId).sort();
    }
    const of = (...partitions: readonly number[]) => partitions.map((partition) => orgIds[partition] ?? '').sort();

    it('each instance leases the deliveries of its own at once, and of others nothing', async () => {
      await enqueue(one, 1_000);
      expect(await leased(one, [0, 3], 1_500)).to.deep.equal(of(0, 3));
      expect(await leased(other, [1], 1_500)).to.deep.equal(of(1));
      expect(await leased(other, [], 1_500)).to.deep.equal([]);
    });

    it('an instance with capacity helps where deliveries have been due for a second', async () => {
      await enqueue(one, 1_000);
      expect(await leased(other, [1], 2_000)).to.deep.equal(of(0, 1, 2, 3));
    });

    it('an instance that is full leaves its deliveries to others, and its own come first', async () => {
      await enqueue(one, 1_000);
      await one.enqueue(batchOf([queuedListener({ orgId: orgIds[0] ?? '' })], 3), 1_800);
      const request = { now: 2_000, limit: 3, partitions: new Set([0]) };
      const { deliveries } = await one.lease(leaseRequest(request));
      expect(deliveries.map(({ orgId }) => orgId)).to.deep.equal([orgIds[0], orgIds[0], orgIds[0]]);
      expect(await leased(other, [1], 2_000)).to.deep.equal(of(1, 2, 3));
    });

    it('a listener that a command has written is leased a second late, until an instance that delivers has seen it', async () => {
      const listener = queuedListener({ orgId: orgIds[2] ?? '' });
      await command.enqueue(batchOf([listener]), 1_000);
      expect(await leased(one, [2], 1_500)).to.deep.equal([]);
      await pause(1_000); // it looks for those of others once a second
      const { deliveries } = await one.lease(leaseRequest({ now: 2_000, partitions: new Set([2]) }));
      expect(deliveries).to.have.length(1);
      await one.record(deliveries.map(succeeded), 2_000);
      await one.enqueue(batchOf([listener]), 3_000);
      expect(await leased(one, [2], 3_000)).to.deep.equal(of(2));
    });
  });
});
