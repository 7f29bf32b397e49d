import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { type LeasedDelivery, positionOf } from '../../../src/deliveries/queue/leasing.js';
import { deliveriesFile } from '../../../src/deliveries/sqlite/schema.js';
import { openSqliteDeliveryQueue } from '../../../src/deliveries/sqlite/sqlite-delivery-queue.js';
import {
  batchOf,
  emptyBatch,
  exhausted,
  failed,
  leaseRequest,
  queuedListener,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** Takes the file back to the schema of 1.0.0. */
function toFirstSchema(directory: string): void {
  const database = new Database(join(directory, deliveriesFile.name));
  database.exec('ALTER TABLE deliveries DROP COLUMN requests');
  database.pragma('user_version = 1');
  database.close();
}

describe('deliveries of 1.0.0 on SQLite', () => {
  it('are taken over: those under way are due, the others are as they were, and may be redelivered', async () => {
    const directory = temporaryDirectory();
    const before = openSqliteDeliveryQueue({ directory });
    const [open, paused] = [queuedListener(), queuedListener()];
    await before.enqueue({ ...batchOf([open], 5), checkpoint: { reader: 'fan-out', position: 7n } }, 900);
    await before.enqueue(batchOf([paused]), 900);
    await before.enqueue({ ...emptyBatch, listeners: [{ ...paused, paused: true, position: 2n }] }, 900);
    const { deliveries } = await before.lease(leaseRequest({ limit: 4 }));
    const [one, two, three, four] = deliveries as [LeasedDelivery, LeasedDelivery, LeasedDelivery, LeasedDelivery];
    await before.record([succeeded(one), exhausted(two), failed(three, 9_000)], 1_000);
    await before.close();
    toFirstSchema(directory);

    const queue = openSqliteDeliveryQueue({ directory });
    expect(await positionOf(queue, 'fan-out')).to.equal(7n);
    expect(await queue.counts(1_000)).to.include({ waiting: 3, held: 1, succeeded: 1, exhausted: 1 });
    const due = (await queue.lease(leaseRequest())).deliveries;
    expect(due.map(({ attempt }) => attempt)).to.deep.equal([1, 1]);
    expect(due.map(({ id }) => id)).to.include(four.id);
    await queue.record(due.map(succeeded), 1_100);
    expect((await queue.redeliver({ orgId: 'acme', states: ['exhausted'] }, 1_200)).redelivered).to.equal(1);
    const again = (await queue.lease(leaseRequest({ now: 9_000 }))).deliveries;
    expect(again.map(({ id }) => id)).to.have.members([two.id, three.id]);
    expect(again.map(({ attempt }) => attempt)).to.deep.equal([2, 2]);
    await queue.close();
  });
});
