import { expect } from 'chai';
import type { DeliveryQueue } from '../../src/deliveries/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../src/deliveries/sqlite/sqlite-delivery-queue.js';
import { countBacklog, newBacklog } from '../../src/service/dispatcher-backlog.js';
import { batchOf, leaseRequest, queuedListener } from '../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('the backlog of the dispatcher', () => {
  const backlog = newBacklog();
  let queue: DeliveryQueue;
  let attempted: ReturnType<typeof countBacklog>['onAttempted'];

  before(() => {
    ({ queue, onAttempted: attempted } = countBacklog(
      openSqliteDeliveryQueue({ directory: temporaryDirectory() }),
      backlog,
    ));
  });
  after(() => queue.close());

  it('grows by the deliveries that are new', async () => {
    const batch = batchOf([queuedListener()], 2);
    await queue.enqueue(batch, Date.now());
    await queue.enqueue(batch, Date.now());
    expect(backlog[0]).to.equal(2);
    await queue.enqueue(batchOf([queuedListener()], 3), Date.now(), leaseRequest());
    expect(backlog[0]).to.equal(5);
  });

  it('shrinks with the first attempt at each, whatever its outcome', () => {
    attempted({ attempt: 1 }, { kind: 'succeeded' });
    attempted({ attempt: 1 }, { kind: 'failed' });
    expect(backlog[0]).to.equal(3);
  });

  it('stays if a delivery is released, or was attempted before', () => {
    attempted({ attempt: 1 }, { kind: 'released' });
    attempted({ attempt: 2 }, { kind: 'succeeded' });
    expect(backlog[0]).to.equal(3);
  });
});
