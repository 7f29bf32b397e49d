import { mock } from 'node:test';
import { expect } from 'chai';
import type { QueuedListener } from '../../../../src/queue/delivery.js';
import { positionOf } from '../../../../src/queue/reader-positions.js';
import { openSqliteDeliveryQueue } from '../../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { batchOf, leaseRequest, queuedListener } from '../../../support/deliveries/delivery-batches.js';
import {
  comingAgain,
  type FirstAttempts,
  openFirstAttempts,
  reader,
  refuseDeliveries,
} from '../../../support/deliveries/first-attempts.js';

describe('closing a queue that has not written all yet, on SQLite', () => {
  let listener: QueuedListener;
  let opened: FirstAttempts;
  let queue: FirstAttempts['queue'];
  let file: FirstAttempts['file'];

  beforeEach(async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    listener = queuedListener();
    opened = await openFirstAttempts(listener);
    ({ queue, file } = opened);
  });

  afterEach(async () => {
    mock.timers.reset();
    await opened.close();
  });

  it('writes it, with the checkpoint behind it', async () => {
    await queue.enqueue(comingAgain(batchOf([listener], 2), 7n), 900);
    await queue.lease(leaseRequest({ limit: 1 }));
    await queue.close();
    expect(await file.counts(1_000)).to.include({ waiting: 2 });
    expect(await positionOf(file, reader)).to.equal(7n);
  });

  it('drops a batch that cannot be written, so that it is handed over again', async () => {
    const batch = comingAgain(batchOf([listener], 2), 7n);
    await queue.enqueue(batch, 900);
    const accept = refuseDeliveries(opened.directory);
    await queue.close();
    accept();
    const reopened = openSqliteDeliveryQueue({ directory: opened.directory });
    expect(await positionOf(reopened, reader)).to.equal(0n);
    expect(await reopened.enqueue(batch, 950)).to.deep.equal({ added: 2 });
    await reopened.close();
  });
});
