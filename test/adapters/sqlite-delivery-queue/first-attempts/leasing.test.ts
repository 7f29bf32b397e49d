import { expect } from 'chai';
import type { QueuedListener } from '../../../../src/queue/delivery.js';
import {
  batchOf,
  emptyBatch,
  exhausted,
  failed,
  leaseRequest,
  queuedListener,
  released,
  succeeded,
} from '../../../support/deliveries/delivery-batches.js';
import {
  comingAgain,
  eventFor,
  type FirstAttempts,
  namesOf,
  openFirstAttempts,
} from '../../../support/deliveries/first-attempts.js';

describe('leasing deliveries that the queue has not written yet, on SQLite', () => {
  let listener: QueuedListener;
  let opened: FirstAttempts;
  let queue: FirstAttempts['queue'];

  beforeEach(async () => {
    listener = queuedListener();
    opened = await openFirstAttempts(listener);
    ({ queue } = opened);
  });

  afterEach(() => opened.close());

  it('keeps a delivery under its lease until its outcome, however long that takes, written or not', async () => {
    await queue.enqueue(comingAgain(batchOf([listener])), 900);
    const { deliveries } = await queue.lease(leaseRequest({ probeMs: 0 }));
    expect(deliveries).to.have.length(1);
    expect(await queue.lease(leaseRequest())).to.deep.equal({ deliveries: [], nextDueAt: undefined });
    await queue.counts(1_000);
    expect((await opened.file.deliveries({ orgId: 'acme' })).deliveries).to.have.length(1);
    expect(await queue.lease(leaseRequest())).to.deep.equal({ deliveries: [], nextDueAt: undefined });
    expect((await queue.record(deliveries.map(succeeded), 1_000)).counted).to.equal(1);
    expect((await queue.record(deliveries.map(succeeded), 1_000)).counted).to.equal(0);
  });

  it('returns that more is due when the limit is reached', async () => {
    await queue.enqueue(comingAgain(batchOf([listener], 3)), 900);
    expect((await queue.lease(leaseRequest({ limit: 2 }))).nextDueAt).to.equal(1_000);
    expect((await queue.lease(leaseRequest({ limit: 2 }))).deliveries).to.have.length(1);
  });

  it('leases the longest waiting first, of any listener', async () => {
    const other = queuedListener({ orgId: 'other' });
    await queue.enqueue({ ...emptyBatch, listeners: [other] }, 900);
    await queue.enqueue(eventFor([listener], 'one'), 900);
    await queue.enqueue(eventFor([other], 'two'), 902);
    await queue.enqueue(eventFor([listener], 'three'), 905);
    for (const name of ['one', 'two', 'three']) {
      const { deliveries } = await queue.lease(leaseRequest({ limit: 1 }));
      expect(namesOf(deliveries)).to.deep.equal([name]);
      await queue.record(deliveries.map(succeeded), 1_000);
    }
  });

  it('keeps its turn if an earlier, written delivery is released', async () => {
    await queue.enqueue(batchOf([listener], 1, 'one'), 900);
    const { deliveries } = await queue.lease(leaseRequest());
    await queue.enqueue(eventFor([listener], 'two'), 910);
    await queue.record(deliveries.map(released), 950);
    await queue.enqueue(eventFor([listener], 'three'), 960);
    expect(namesOf((await queue.lease(leaseRequest({ limit: 2 }))).deliveries)).to.deep.equal(['one', 'two']);
  });

  it('keeps its turn where a later delivery of its listener is written at once', async () => {
    const leaseAll = async () => (await queue.lease(leaseRequest())).deliveries;
    await queue.enqueue(comingAgain(batchOf([listener], 2)), 900);
    const [first, second] = await leaseAll();
    if (!first || !second) throw new Error('expected two deliveries');
    await queue.record([exhausted(first)], 910);
    await queue.enqueue(eventFor([listener], 'third'), 920);
    await leaseAll();
    await queue.enqueue(eventFor([listener], 'one'), 930);
    await queue.record([succeeded(second)], 940);
    await queue.enqueue(eventFor([listener], 'two'), 950);
    expect(namesOf(await leaseAll())).to.deep.equal(['one', 'two']);
  });

  it('leases nothing of the listener during its Retry-After, whichever delivery was answered so', async () => {
    await queue.enqueue(batchOf([listener]), 900);
    const [written] = (await queue.lease(leaseRequest())).deliveries;
    if (!written) throw new Error('expected a delivery');
    await queue.enqueue(comingAgain(batchOf([listener])), 1_000);
    await queue.record([failed(written, 9_000, { notBefore: 8_000 })], 1_000);
    expect((await queue.lease(leaseRequest({ now: 7_999 }))).deliveries).to.deep.equal([]);
    expect((await queue.lease(leaseRequest({ now: 8_000 }))).deliveries).to.have.length(1);
  });
});
