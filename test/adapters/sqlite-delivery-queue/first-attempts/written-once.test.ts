import { expect } from 'chai';
import type { QueuedListener } from '../../../../src/queue/delivery.js';
import type { FanOutBatch } from '../../../../src/queue/fan-out-batch.js';
import { positionOf } from '../../../../src/queue/reader-positions.js';
import { openSqliteDeliveryQueue } from '../../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { daysOf } from '../../../support/deliveries/days-of.js';
import {
  batchOf,
  emptyBatch,
  enqueueAndLease,
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
  reader,
} from '../../../support/deliveries/first-attempts.js';
import { logOf } from '../../../support/deliveries/log-of.js';
import { until } from '../../../support/until.js';

const ofAcme = { orgId: 'acme' };

describe('unwritten deliveries, on SQLite', () => {
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

  const isWritten = async () => (await file.deliveries(ofAcme)).deliveries.length > 0;

  it('is one row where it is delivered at once, with its attempt, statistics and count by state', async () => {
    const batch = comingAgain(batchOf([listener]));
    expect(await queue.enqueue(batch, 900)).to.deep.equal({ added: 1 });
    const { deliveries } = await queue.lease(leaseRequest());
    expect(deliveries).to.have.length(1);
    expect(deliveries[0]).to.deep.include({
      ...batch.deliveries[0],
      hookUrl: listener.hookUrl,
      attempt: 1,
      enqueuedAt: 900,
      recordedAt: 800,
    });
    expect(deliveries[0]?.body).to.equal(batch.messages[0]?.body);
    expect((await file.deliveries(ofAcme)).deliveries).to.deep.equal([]);

    expect(await queue.record(deliveries.map(succeeded), 1_005)).to.deep.equal({ counted: 1, troubled: [] });
    const [written, ...more] = (await file.deliveries(ofAcme)).deliveries;
    expect(more).to.deep.equal([]);
    expect(written).to.deep.include({
      ...batch.deliveries[0],
      eventType: 'flow.completed',
      state: 'succeeded',
      attempts: 1,
      dueAt: undefined,
      enqueuedAt: 900,
      lastStatus: 200,
      lastError: undefined,
      lastAttemptAt: 1_000,
    });
    expect(await logOf(file, 'acme', written?.id ?? '')).to.deep.equal([
      { startedAt: 1_000, durationMs: 5, status: 200 },
    ]);
    expect(await daysOf(file, { ...ofAcme, from: '1970-01-01', to: '1970-01-02' })).to.deep.equal([
      {
        day: '1970-01-01',
        listenerId: listener.listenerId,
        succeeded: 1,
        failed: 0,
        exhausted: 0,
        durationMs: 5,
      },
    ]);
    expect(await file.counts(1_005)).to.include({ succeeded: 1, waiting: 0, held: 0 });
    expect((await file.forget({ of: 'deliveries', before: 1_006, limit: 10 })).forgotten).to.equal(1);
  });

  it('is leased in the step in which it is enqueued', async () => {
    const { added, lease } = await enqueueAndLease(
      queue,
      comingAgain(batchOf([listener], 3)),
      900,
      leaseRequest({ limit: 2 }),
    );
    expect(added).to.equal(3);
    expect(lease?.deliveries).to.have.length(2);
    expect(await isWritten()).to.equal(false);
  });

  it('stays unwritten while a reader without deliveries in memory moves its checkpoint', async () => {
    await queue.enqueue(comingAgain(batchOf([listener], 3)), 900);
    await queue.enqueue({ ...emptyBatch, checkpoint: { reader: 'another', position: 7n } }, 901);
    expect(await positionOf(file, 'another')).to.equal(7n);
    expect(await isWritten()).to.equal(false);
  });

  it('is written before its own reader moves a checkpoint that follows no other', async () => {
    await queue.enqueue(comingAgain(batchOf([listener], 3)), 900);
    await queue.enqueue({ ...emptyBatch, checkpoint: { reader, position: 7n } }, 901);
    expect(await isWritten()).to.equal(true);
  });

  it('is written when it is not delivered within half a second, and is recorded under the lease it had', async () => {
    await queue.enqueue(comingAgain(batchOf([listener], 2)), 900);
    const { deliveries } = await queue.lease(leaseRequest({ limit: 1 }));
    expect(await isWritten()).to.equal(false);
    await until(isWritten, 'the deliveries to be written');
    expect(await file.counts(1_000)).to.include({ waiting: 2, succeeded: 0 });
    const others = await queue.lease(leaseRequest());
    expect(others.deliveries).to.have.length(1);
    expect(others.deliveries[0]?.id).to.not.equal(deliveries[0]?.id);
    expect((await queue.record(deliveries.map(succeeded), 1_000)).counted).to.equal(1);
    expect((await queue.record(deliveries.map(succeeded), 1_000)).counted).to.equal(0);
    expect((await queue.record(others.deliveries.map(succeeded), 1_000)).counted).to.equal(1);
    expect(await file.counts(1_000)).to.include({ waiting: 0, succeeded: 2 });
  });

  it('comes into the file before the checkpoint that stands behind it', async () => {
    let at = 0n;
    await until(async () => {
      at += 1n;
      await queue.enqueue(comingAgain(batchOf([listener], 1, `event-${at}`), at), 900);
      const kept = (await positionOf(file, reader)) ?? -1n;
      const written = new Set(namesOf((await file.deliveries({ ...ofAcme, limit: 10_000 })).deliveries));
      for (let event = 1n; event <= kept; event += 1n) expect(written).to.include(`event-${event}`);
      return kept >= 3n;
    }, 'the checkpoint to be written');
    expect(await positionOf(queue, reader)).to.equal(at);
  });

  it('lets the checkpoint through that comes once all is delivered', async () => {
    await queue.enqueue(comingAgain(batchOf([listener]), 5n), 900);
    const { deliveries } = await queue.lease(leaseRequest());
    await queue.record(deliveries.map(succeeded), 1_000);
    expect(await positionOf(file, reader)).to.equal(0n);
    await queue.enqueue(comingAgain(emptyBatch, 6n), 1_000);
    expect(await positionOf(file, reader)).to.equal(6n);
  });

  it('waits in the file for its retry once it has failed, which is attempt 2', async () => {
    await queue.enqueue(comingAgain(batchOf([listener])), 900);
    const { deliveries } = await queue.lease(leaseRequest());
    const { counted, troubled } = await queue.record(
      deliveries.map((each) => failed(each, 5_000)),
      1_000,
    );
    expect(counted).to.equal(1);
    expect(troubled.map(({ listenerId }) => listenerId)).to.deep.equal([listener.listenerId]);
    const [written] = (await file.deliveries(ofAcme)).deliveries;
    expect(written).to.include({ state: 'waiting', attempts: 1, dueAt: 5_000, lastStatus: 500 });
    expect((await queue.lease(leaseRequest({ now: 4_999 }))).deliveries).to.deep.equal([]);
    const [retry] = (await queue.lease(leaseRequest({ now: 5_000 }))).deliveries;
    expect(retry).to.include({ id: written?.id, attempt: 2 });
  });

  it('is in the file as a dead letter after its last attempt, and unchanged after a release', async () => {
    await queue.enqueue(comingAgain(batchOf([listener], 2)), 900);
    const [first, second] = (await queue.lease(leaseRequest())).deliveries;
    if (!first || !second) throw new Error('expected two deliveries');
    expect((await queue.record([exhausted(first), released(second)], 1_000)).counted).to.equal(2);
    expect(await file.counts(1_000)).to.include({ waiting: 1, exhausted: 1, oldestDueAt: 900 });
    expect((await queue.lease(leaseRequest())).deliveries[0]).to.include({ id: second.id, attempt: 1 });
  });

  it('is held by a batch that pauses its listener', async () => {
    await queue.enqueue(comingAgain(batchOf([listener], 2)), 900);
    await queue.enqueue(comingAgain({ ...emptyBatch, listeners: [{ ...listener, paused: true, position: 2n }] }), 900);
    expect(await file.counts(1_000)).to.include({ waiting: 0, held: 2 });
    expect((await queue.lease(leaseRequest())).deliveries).to.deep.equal([]);
  });

  it('is not changed by repeats, written or not', async () => {
    const batch = comingAgain(batchOf([listener], 2));
    const again = async () => expect(await queue.enqueue(batch, 950)).to.deep.equal({ added: 0 });
    await queue.enqueue(batch, 900);
    await again();
    const { deliveries } = await queue.lease(leaseRequest());
    expect(deliveries).to.have.length(2);
    await again();
    await queue.record(deliveries.map(succeeded), 1_000);
    await again();
    expect((await queue.lease(leaseRequest())).deliveries).to.deep.equal([]);
    expect(await queue.counts(1_000)).to.include({ waiting: 0, succeeded: 2 });
  });

  it('is added to by nothing of an event of which one delivery is written, and another is not', async () => {
    const other = queuedListener();
    await queue.enqueue({ ...emptyBatch, listeners: [other] }, 900);
    const batch = comingAgain(batchOf([listener, other]));
    await queue.enqueue(batch, 900);
    const [first, second] = (await queue.lease(leaseRequest())).deliveries;
    if (!first || !second) throw new Error('expected two deliveries');
    await queue.record([succeeded(first)], 1_000);
    expect(await queue.enqueue(batch, 1_000)).to.deep.equal({ added: 0 });
    expect((await queue.lease(leaseRequest())).deliveries).to.deep.equal([]);
    await queue.record([succeeded(second)], 1_000);
    expect(await queue.counts(1_000)).to.include({ waiting: 0, succeeded: 2 });
  });

  it('is delivered where a batch names its event no more', async () => {
    const other = queuedListener();
    await queue.enqueue({ ...emptyBatch, listeners: [other] }, 900);
    const { deliveries, ...batch } = comingAgain(batchOf([listener, other]));
    await queue.enqueue({ ...batch, deliveries: deliveries.slice(0, 1) }, 900);
    await queue.enqueue({ ...batch, messages: [], deliveries: deliveries.slice(1) }, 900);
    expect((await queue.lease(leaseRequest())).deliveries).to.have.length(2);
  });

  it('leaves out deliveries that the file has from before a restart', async () => {
    const batches: FanOutBatch[] = ['one', 'two', 'three'].map((name) => eventFor([listener], name));
    for (const batch of batches) await queue.enqueue(batch, 900);
    const [first] = (await queue.lease(leaseRequest({ limit: 1 }))).deliveries;
    if (first) await queue.record([succeeded(first)], 1_000);
    await queue.close();
    const again = openSqliteDeliveryQueue({ directory: opened.directory });
    for (const batch of batches) expect(await again.enqueue(batch, 950)).to.deep.equal({ added: 0 });
    expect(await again.enqueue(eventFor([listener], 'four'), 950)).to.deep.equal({ added: 1 });
    expect(namesOf((await again.lease(leaseRequest())).deliveries)).to.have.members(['two', 'three', 'four']);
    await again.close();
  });
});
