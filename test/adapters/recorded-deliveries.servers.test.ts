import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { openMongoDeliveryQueue } from '../../src/queue/mongodb/mongodb-delivery-queue.js';
import { LeaseLost } from '../../src/stores/leases/leases.js';
import { recordedDeliveriesContract } from '../contract/recorded-deliveries.js';
import { emptyBatch } from '../support/deliveries/delivery-batches.js';
import { onMongoDb } from '../support/mongodb/on-mongodb.js';
import { rejection } from '../support/rejection.js';
import { restoreDeliveriesDocuments } from '../support/releases/recorded-deliveries.js';

onMongoDb('deliveries of release 1.0.0', ({ database }) => {
  const restore = (place: string, leasesEndInMs?: number) =>
    restoreDeliveriesDocuments(database(place).db, leasesEndInMs);
  const open = (place: string) => openMongoDeliveryQueue({ ...database(place), partitions: 4 });

  recordedDeliveriesContract('MongoDB', {
    readers: ['fan-out/0', 'fan-out/1', 'fan-out/2', 'fan-out/3'],
    restore,
    open,
  });

  it('refuses a checkpoint of an earlier term than the recorded one', async () => {
    const place = randomUUID();
    await restore(place);
    const queue = await open(place);
    const checkpoint = { reader: 'fan-out/1', position: 200n, term: 2n };
    expect(await rejection(queue.enqueue({ ...emptyBatch, checkpoint }, 1_000))).to.be.instanceOf(LeaseLost);
    await queue.close();
  });
});
