import { expect } from 'chai';
import type { QueuedListener } from '../../../../src/queue/delivery.js';
import {
  batchOf,
  changedListener,
  emptyBatch,
  failed,
  leaseRequest,
  type QueuedFields,
  queuedListener,
  succeeded,
} from '../../../support/deliveries/delivery-batches.js';
import {
  comingAgain,
  eventFor,
  type FirstAttempts,
  namesOf,
  openFirstAttempts,
} from '../../../support/deliveries/first-attempts.js';
import { until } from '../../../support/until.js';

const ofAcme = { orgId: 'acme' };

describe('unwritten deliveries, while other processes change the file, on SQLite', () => {
  let listener: QueuedListener;
  let opened: FirstAttempts;
  let queue: FirstAttempts['queue'];
  let file: FirstAttempts['file'];

  beforeEach(async () => {
    listener = queuedListener();
    opened = await openFirstAttempts(listener);
    ({ queue, file } = opened);
    await queue.enqueue(eventFor([listener], 'first'), 900);
    await queue.enqueue(eventFor([listener], 'second'), 900);
  });

  afterEach(() => opened.close());

  const isLeased = async () => (await queue.lease(leaseRequest({ now: 9_000 }))).deliveries.length > 0;
  const change = (fields: QueuedFields) =>
    file.enqueue({ ...emptyBatch, listeners: [changedListener(listener, { ...fields, position: 2n })] }, 950);

  it('is cancelled when the gate is closed', async () => {
    const [first] = (await queue.lease(leaseRequest({ limit: 1 }))).deliveries;
    if (!first) throw new Error('expected a delivery');
    expect(await queue.withdraw({ listenerId: listener.listenerId })).to.equal(2);
    expect(await isLeased()).to.equal(false);
    expect((await queue.record([succeeded(first)], 1_000)).counted).to.equal(1);
    expect(await queue.counts(1_000)).to.include({ waiting: 0, cancelled: 1, succeeded: 1 });
  });

  it('is cancelled before anything more is leased when another process closes the gate', async () => {
    await file.withdraw({ listenerId: listener.listenerId });
    expect(await isLeased()).to.equal(false);
    expect(await file.counts(1_000)).to.include({ waiting: 0, cancelled: 2 });
  });

  it('is cancelled when another process has closed the gate before it is written', async () => {
    await file.withdraw({ listenerId: listener.listenerId });
    await until(async () => (await file.deliveries(ofAcme)).deliveries.length === 2, 'the deliveries to be written');
    expect(await isLeased()).to.equal(false);
    expect(await file.counts(1_000)).to.include({ waiting: 0, cancelled: 2 });
  });

  it('is cancelled when another process has closed the gate before an attempt failed', async () => {
    const { deliveries } = await queue.lease(leaseRequest({ limit: 1 }));
    await file.withdraw({ listenerId: listener.listenerId });
    await queue.record(
      deliveries.map((each) => failed(each, 2_000)),
      1_000,
    );
    expect(await isLeased()).to.equal(false);
    expect(await file.counts(1_000)).to.include({ waiting: 0, cancelled: 2 });
  });

  it('is cancelled when another process has closed the gate before the deliveries are counted', async () => {
    await file.withdraw({ listenerId: listener.listenerId });
    expect(await queue.counts(1_000)).to.include({ waiting: 0, cancelled: 2 });
    expect(await isLeased()).to.equal(false);
  });

  it('is held when another process pauses the listener, however it is written', async () => {
    await change({ paused: true });
    expect(await isLeased()).to.equal(false);
    expect(await queue.counts(1_000)).to.include({ waiting: 0, held: 2 });
  });

  it('is held when another process has paused the listener before the deliveries are counted', async () => {
    await change({ paused: true });
    expect(await queue.counts(1_000)).to.include({ waiting: 0, held: 2 });
    expect(await isLeased()).to.equal(false);
  });

  it('comes one at a time, in its order, when another process has its listener ordered', async () => {
    await queue.enqueue(eventFor([listener], 'third'), 910);
    await change({ ordered: true });
    const names: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const { deliveries } = await queue.lease(leaseRequest());
      expect(deliveries).to.have.length(1);
      expect(await isLeased()).to.equal(false);
      await queue.record(deliveries.map(succeeded), 1_000);
      names.push(...namesOf(deliveries));
    }
    expect(names).to.deep.equal(['first', 'second', 'third']);
  });

  it('is under one lease when another process hands over the same', async () => {
    const batch = batchOf([listener], 1, 'same');
    await queue.enqueue(comingAgain(batch), 900);
    const { deliveries } = await queue.lease(leaseRequest());
    expect(deliveries).to.have.length(3);
    await file.enqueue(batch, 950);
    expect(await isLeased()).to.equal(false);
    expect((await queue.record(deliveries.map(succeeded), 1_000)).counted).to.equal(3);
    expect(await queue.counts(1_000)).to.include({ waiting: 0, succeeded: 3 });
  });

  it('is recorded when another process has handed over the same meanwhile', async () => {
    const batch = batchOf([listener], 1, 'same');
    await queue.enqueue(comingAgain(batch), 900);
    const { deliveries } = await queue.lease(leaseRequest());
    await file.enqueue(batch, 950);
    expect((await queue.record(deliveries.map(succeeded), 1_000)).counted).to.equal(3);
    expect(await queue.counts(1_000)).to.include({ waiting: 0, succeeded: 3 });
  });

  it('comes to no other organisation when another process forgets its own', async () => {
    const another = queuedListener();
    await queue.enqueue({ ...emptyBatch, listeners: [another] }, 900);
    await queue.enqueue(comingAgain(batchOf([listener, another])), 900);
    const { deliveries } = await queue.lease(
      leaseRequest({ limit: 3, inFlightByListener: new Map([[another.listenerId, 100]]) }),
    );
    await queue.record(deliveries.map(succeeded), 1_000);
    await file.forget({ of: 'organisation', orgId: 'acme', limit: 100 });
    const ofOther = batchOf([queuedListener({ orgId: 'other' })], 3);
    await file.enqueue(ofOther, 1_000);
    await queue.lease(leaseRequest({ limit: 0 }));
    expect((await queue.deliveries({ orgId: 'other' })).deliveries.map(({ id }) => id)).to.have.members(
      ofOther.deliveries.map(({ id }) => id),
    );
  });
});
