import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openMongoDeliveryQueue } from '../../../src/queue/mongodb/mongodb-delivery-queue.js';
import { partitionOf } from '../../../src/queue/policy/partition.js';
import { batchOf, leaseRequest, queuedListener } from '../../support/deliveries/delivery-batches.js';
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

    const owned = (partitions: readonly number[], isHeld = () => true) =>
      new Map(partitions.map((partition) => [partition, { isHeld }]));

    async function leased(queue: DeliveryQueue, partitions: readonly number[], now: number): Promise<string[]> {
      const { deliveries } = await queue.lease(leaseRequest({ now, partitions: owned(partitions) }));
      return deliveries.map(({ orgId }) => orgId).sort();
    }
    const of = (...partitions: readonly number[]) => partitions.map((partition) => orgIds[partition] ?? '').sort();

    it('each instance leases the deliveries of its own at once, and of others nothing', async () => {
      await enqueue(one, 1_000);
      expect(await leased(one, [0, 3], 1_500)).to.deep.equal(of(0, 3));
      expect(await leased(other, [1], 1_500)).to.deep.equal(of(1));
      expect(await leased(other, [], 1_500)).to.deep.equal([]);
    });

    it('an instance leaves those of others, however long they have been due', async () => {
      await enqueue(one, 1_000);
      expect(await leased(other, [1], 1_000_000)).to.deep.equal(of(1));
      expect(await leased(other, [], 1_000_000)).to.deep.equal([]);
    });

    it('a delivery may be attempted as long as the lease of its partition is held', async () => {
      await enqueue(one, 1_000);
      let holds = true;
      const partitions = new Map([...owned([0]), ...owned([1], () => holds)]);
      const { deliveries, isHeld } = await one.lease(leaseRequest({ now: 1_500, partitions }));
      expect([deliveries.length, isHeld?.()]).to.deep.equal([2, true]);
      holds = false;
      expect(isHeld?.()).to.equal(false);
    });

    it('a listener that a command has written belongs to the instance of its partition', async () => {
      const listener = queuedListener({ orgId: orgIds[2] ?? '' });
      await command.enqueue(batchOf([listener]), 1_000);
      expect(await leased(other, [1], 1_500)).to.deep.equal([]);
      expect(await leased(one, [2], 1_500)).to.deep.equal(of(2));
    });
  });
});
