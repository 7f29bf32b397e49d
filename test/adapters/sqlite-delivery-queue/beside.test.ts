import { expect } from 'chai';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
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

describe('a process that enqueues beside the one that delivers, on SQLite', () => {
  let queue: DeliveryQueue;
  let beside: DeliveryQueue;

  beforeEach(() => {
    const directory = temporaryDirectory();
    queue = openSqliteDeliveryQueue({ directory });
    beside = openSqliteDeliveryQueue({ directory });
  });
  afterEach(async () => {
    await beside.close();
    await queue.close();
  });

  it('resumes a listener, which begins anew for the one that delivers', async () => {
    const listener = queuedListener({ position: 1n });
    await queue.enqueue(batchOf([listener], 15), 900);
    const { deliveries } = await queue.lease(leaseRequest({ limit: 10 }));
    await queue.record(
      deliveries.map((each) => failed(each, 1_500)),
      1_000,
    );
    expect((await queue.listenerStates([listener.listenerId])).get(listener.listenerId)?.health.breaker).to.include({
      openings: 1,
    });

    await beside.enqueue({ ...emptyBatch, listeners: [{ ...listener, paused: true, position: 5n }] }, 1_100);
    await beside.enqueue({ ...emptyBatch, listeners: [{ ...listener, position: 9n }] }, 1_200);
    await beside.redeliver({ orgId: 'acme', states: ['held'] }, 1_300);

    expect((await queue.listenerStates([listener.listenerId])).get(listener.listenerId)?.health).to.deep.equal({
      recent: [],
    });
    expect((await queue.lease(leaseRequest({ now: 2_000 }))).deliveries).to.have.length(15);
  });

  it('repeats the delivery under way after that, whatever its outcome', async () => {
    await queue.enqueue(batchOf([queuedListener()], 3), 900);
    const { deliveries } = await queue.lease(leaseRequest());
    expect((await beside.redeliver({ orgId: 'acme' }, 1_500)).redelivered).to.equal(3);
    expect((await queue.lease(leaseRequest({ now: 1_600 }))).deliveries).to.deep.equal([]);

    const [one, two, three] = deliveries as [LeasedDelivery, LeasedDelivery, LeasedDelivery];
    await queue.record([succeeded(one), failed(two, 90_000), exhausted(three)], 2_000);
    expect(await queue.counts(2_000)).to.include({ waiting: 3, succeeded: 0, exhausted: 0 });
    const again = (await queue.lease(leaseRequest({ now: 2_000 }))).deliveries;
    expect(again.map(({ attempt }) => attempt)).to.deep.equal([2, 2, 2]);
    await queue.record(again.map(succeeded), 2_500);
    expect(await queue.counts(2_500)).to.include({ waiting: 0, succeeded: 3 });
  });

  it('repeats the delivery under way where it was requested in the millisecond in which it was due', async () => {
    await queue.enqueue(batchOf([queuedListener()]), 900);
    const { deliveries } = await queue.lease(leaseRequest({ now: 900 }));
    expect((await beside.redeliver({ orgId: 'acme' }, 900)).redelivered).to.equal(1);
    await queue.record(deliveries.map(succeeded), 950);
    expect(await queue.counts(950)).to.include({ waiting: 1, succeeded: 0 });
    expect((await queue.lease(leaseRequest())).deliveries.map(({ attempt }) => attempt)).to.deep.equal([2]);
  });

  it('records the attempt under way where another process has paused and resumed the listener meanwhile', async () => {
    const listener = queuedListener({ position: 1n });
    await queue.enqueue(batchOf([listener]), 900);
    const { deliveries } = await queue.lease(leaseRequest());
    await beside.enqueue({ ...emptyBatch, listeners: [{ ...listener, paused: true, position: 5n }] }, 1_100);
    const released = [{ listenerId: listener.listenerId, before: 9n }];
    await beside.enqueue({ ...emptyBatch, listeners: [{ ...listener, position: 9n }], released }, 1_200);
    await queue.record(deliveries.map(succeeded), 1_300);
    expect(await queue.counts(1_300)).to.include({ waiting: 0, succeeded: 1 });
  });

  it('adds to a listener of which everything is under lease', async () => {
    const listener = queuedListener();
    await queue.enqueue(batchOf([listener]), 900);
    expect((await queue.lease(leaseRequest())).deliveries).to.have.length(1);
    expect((await queue.lease(leaseRequest())).deliveries).to.have.length(0);
    await beside.enqueue(batchOf([listener]), 900);
    expect((await queue.lease(leaseRequest())).deliveries).to.have.length(1);
  });
});
