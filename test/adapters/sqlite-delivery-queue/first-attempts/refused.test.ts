import { expect } from 'chai';
import type { QueuedListener } from '../../../../src/queue/delivery.js';
import { CheckpointLost } from '../../../../src/queue/fan-out-batch.js';
import { positionOf } from '../../../../src/queue/reader-positions.js';
import { daysOf } from '../../../support/deliveries/days-of.js';
import {
  batchOf,
  failed,
  leaseRequest,
  queuedListener,
  succeeded,
} from '../../../support/deliveries/delivery-batches.js';
import {
  comingAgain,
  eventFor,
  type FirstAttempts,
  lostBatch,
  namesOf,
  openFirstAttempts,
  reader,
  refuseDeliveries,
} from '../../../support/deliveries/first-attempts.js';
import { rejection } from '../../../support/rejection.js';

const ofAcme = { orgId: 'acme' };

describe('unwritten deliveries beside a call that fails, on SQLite', () => {
  let listener: QueuedListener;
  let opened: FirstAttempts;
  let queue: FirstAttempts['queue'];
  let file: FirstAttempts['file'];

  beforeEach(async () => {
    listener = queuedListener();
    opened = await openFirstAttempts(listener);
    ({ queue, file } = opened);
  });

  afterEach(() => opened.close());

  /** Makes the calls in the turn of one that fails. */
  async function besideFailure<Result>(
    calls: () => readonly Promise<Result>[],
    lost = lostBatch(listener),
  ): Promise<readonly Result[]> {
    const all = calls();
    expect(await rejection(queue.enqueue(lost, 900))).to.be.instanceOf(CheckpointLost);
    return Promise.all(all);
  }

  /** Leases all, one after the other, and has them succeed; the names of their events. */
  async function drained(): Promise<readonly string[]> {
    const names: string[] = [];
    for (let more = true; more; ) {
      const { deliveries } = await queue.lease(leaseRequest({ limit: 1, now: 2_000 }));
      await queue.record(deliveries.map(succeeded), 2_000);
      names.push(...namesOf(deliveries));
      more = deliveries.length > 0;
    }
    return names;
  }

  /** A batch that fails and has all written before it does. */
  const lostWithListener = () => lostBatch(queuedListener());

  it('is enqueued once', async () => {
    const [enqueued] = await besideFailure(() => [queue.enqueue(eventFor([listener], 'one'), 900)]);
    expect(enqueued).to.deep.equal({ added: 1 });
    expect(await queue.enqueue(eventFor([listener], 'one'), 900)).to.deep.equal({ added: 0 });
    expect(await drained()).to.deep.equal(['one']);
    expect(await queue.counts(2_000)).to.include({ waiting: 0, succeeded: 1 });
  });

  it('is nothing of the batch that failed', async () => {
    const failing = {
      ...eventFor([listener], 'one'),
      checkpoint: { reader: 'lost', position: 1n, follows: true } as const,
    };
    expect(await rejection(queue.enqueue(failing, 900))).to.be.instanceOf(CheckpointLost);
    expect(await drained()).to.deep.equal([]);
    expect(await queue.enqueue(eventFor([listener], 'one'), 900)).to.deep.equal({ added: 1 });
    expect(await drained()).to.deep.equal(['one']);
  });

  for (const [what, lost] of [
    ['as it was', () => lostBatch(listener)],
    ['where the one that failed had it written', lostWithListener],
  ] as const) {
    it(`is under one lease, which stays, ${what}`, async () => {
      await queue.enqueue(comingAgain(batchOf([listener], 3)), 900);
      const before = await queue.lease(leaseRequest({ limit: 1 }));
      const [second] = await besideFailure(() => [queue.lease(leaseRequest({ limit: 1 }))], lost());
      const third = await queue.lease(leaseRequest());
      const leased = [before, second, third].flatMap((each) => each?.deliveries ?? []);
      expect(new Set(leased.map(({ id }) => id)).size).to.equal(3);
      expect(leased).to.have.length(3);
      expect((await queue.record(leased.map(succeeded), 1_000)).counted).to.equal(3);
      expect(await queue.counts(1_000)).to.include({ waiting: 0, succeeded: 3 });
    });

    it(`is recorded once, ${what}`, async () => {
      await queue.enqueue(comingAgain(batchOf([listener], 4)), 900);
      const [first, second, third] = (await queue.lease(leaseRequest({ limit: 3 }))).deliveries;
      if (!first || !second || !third) throw new Error('expected three deliveries');
      const recorded = await besideFailure(
        () => [queue.record([succeeded(first)], 1_000), queue.record([failed(second, 2_000)], 1_000)],
        lost(),
      );
      expect(recorded.map(({ counted }) => counted)).to.deep.equal([1, 1]);
      expect(await file.counts(1_000)).to.include({ succeeded: 1, waiting: 3 });
      expect((await queue.record([first, second, third].map(succeeded), 1_000)).counted).to.equal(1);
      expect(await drained()).to.have.length(2);
      expect(await file.counts(2_000)).to.include({ waiting: 0, succeeded: 4 });
      const [day, ...more] = await daysOf(file, { ...ofAcme, from: '1970-01-01', to: '1970-01-02' });
      expect(more).to.deep.equal([]);
      expect(day).to.include({ succeeded: 4, failed: 1, exhausted: 0 });
    });

    it(`stays in its order, ${what}`, async () => {
      for (const [index, name] of ['one', 'two', 'three', 'four'].entries())
        await queue.enqueue(eventFor([listener], name), 900 + index);
      const [leased] = await besideFailure(() => [queue.lease(leaseRequest({ limit: 1 }))], lost());
      expect(namesOf(leased?.deliveries ?? [])).to.deep.equal(['one']);
      expect(await drained()).to.deep.equal(['two', 'three', 'four']);
    });
  }

  it('is written where the one that failed has all written before, and its checkpoint stays', async () => {
    await queue.enqueue(comingAgain(batchOf([listener]), 3n), 900);
    for (const lost of [lostWithListener(), { ...lostBatch(listener), ended: [listener.listenerId] }])
      expect(await rejection(queue.enqueue(lost, 900))).to.be.instanceOf(CheckpointLost);
    expect(await positionOf(queue, reader)).to.equal(3n);
    expect((await file.deliveries(ofAcme)).deliveries).to.have.length(1);
    expect(await file.counts(1_000)).to.include({ waiting: 1, cancelled: 0 });
  });

  it('stays under way where its outcome cannot be written, and is recorded once when it can', async () => {
    await queue.enqueue(comingAgain(batchOf([listener], 2)), 900);
    const [one] = (await queue.lease(leaseRequest({ limit: 1 }))).deliveries;
    if (!one) throw new Error('expected a delivery');
    const accept = refuseDeliveries(opened.directory);
    await rejection(queue.record([succeeded(one)], 1_000));
    await rejection(queue.lease(leaseRequest())); // the other process has written: all are written first
    accept();
    expect(await drained()).to.have.length(1);
    expect((await queue.record([succeeded(one)], 2_000)).counted).to.equal(1);
    expect(await queue.counts(2_000)).to.include({ waiting: 0, succeeded: 2 });
  });

  it('is leased by a call that comes while it is written', async () => {
    await queue.enqueue(comingAgain(batchOf([listener], 2)), 900);
    const counted = queue.counts(1_000);
    const { deliveries } = await queue.lease(leaseRequest());
    expect(deliveries).to.have.length(2);
    await counted;
  });
});
