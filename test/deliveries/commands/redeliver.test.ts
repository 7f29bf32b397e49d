import { expect } from 'chai';
import { redeliverSeveral } from '../../../src/deliveries/commands/redeliver.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { batchOf, exhausted, leaseRequest, queuedListener } from '../../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('redelivering the results of a search', () => {
  const listener = queuedListener();
  const wanted = { orgId: 'acme', listenerId: listener.listenerId, states: ['exhausted'] as const };
  let queue: DeliveryQueue;

  beforeEach(async () => {
    queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
    await queue.enqueue(batchOf([listener], 40), 900);
    const { deliveries } = await queue.lease(leaseRequest());
    await queue.record(deliveries.map(exhausted), 1_000);
  });
  afterEach(() => queue.close());

  it('ignores deliveries that another caller has redelivered meanwhile', async () => {
    let lists = 0;
    const watched: DeliveryQueue = {
      ...queue,
      async deliveries(query) {
        const found = await queue.deliveries(query);
        lists += 1;
        if (lists === 1) await queue.redeliver(wanted, 1_100);
        return found;
      },
    };
    const { redelivered } = await redeliverSeveral(watched, { ...wanted, type: 'flow.*' }, 1_300);
    expect(redelivered).to.equal(0);
    expect(await queue.counts(1_300)).to.include({ waiting: 40, oldestDueAt: 1_100 });
  });

  it('costs a few looks at the queue where it finds none among many', async () => {
    let lists = 0;
    const watched: DeliveryQueue = {
      ...queue,
      deliveries: (query) => {
        lists += 1;
        return queue.deliveries(query);
      },
    };
    const none = { ...wanted, type: 'other.*', limit: 20 };
    expect(await redeliverSeveral(watched, none, 2_000)).to.include({ redelivered: 0, next: undefined });
    expect(lists).to.be.at.most(10);
  });
});
