import { expect } from 'chai';
import type { QueuedListener } from '../../../src/queue/delivery.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import type { FanOutBatch } from '../../../src/queue/fan-out-batch.js';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import { positionOf } from '../../../src/queue/reader-positions.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import {
  batchOf,
  changedListener,
  emptyBatch,
  failed,
  leaseRequest,
  queuedListener,
} from '../../support/deliveries/delivery-batches.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** Twenty steps change. */
const many = 5_000;
const perBatch = 1_000;
const reader = 'fan-out';

describe('a change of many deliveries on SQLite', () => {
  let directory: string;
  let queue: DeliveryQueue;
  const listener = queuedListener({ position: 1n });
  const other = queuedListener();
  const paused = { ...listener, paused: true, position: 100_000n };
  const resumed = { ...listener, position: 200_000n };
  const released = [{ listenerId: listener.listenerId, before: 200_000n }];

  let readings = 0;
  /** Each step is one statement long. */
  const monotonicNow = () => {
    readings += 1;
    return readings * 5;
  };
  const open = () => openSqliteDeliveryQueue({ directory, monotonicNow });

  beforeEach(() => {
    directory = temporaryDirectory();
    queue = open();
  });
  afterEach(() => queue.close());

  /** Enqueues flow events to a listener, the last of them first, so that the order of insertion is not that of the events. */
  async function fill(to: QueuedListener, replay?: string): Promise<void> {
    for (let from = many - perBatch; from >= 0; from -= perBatch) {
      const { messages, deliveries, ...batch } = batchOf([to], perBatch, `${from}`);
      await queue.enqueue(
        {
          ...batch,
          messages: messages.map((each, index) => ({ ...each, position: BigInt(from + index) })),
          deliveries: deliveries.map((each) => ({ ...each, ...(replay && { replay }) })),
          checkpoint: { reader, position: 1n },
        },
        900,
      );
    }
  }
  const batch = (fields: Partial<FanOutBatch>): FanOutBatch => ({
    ...emptyBatch,
    checkpoint: { reader, position: 2n, follows: true },
    ...fields,
  });
  const pause = () => queue.enqueue(batch({ listeners: [paused] }), 900);
  const resumeAndRelease = () => queue.enqueue(batch({ listeners: [resumed], released }), 1_000);
  const lease = async (): Promise<readonly LeasedDelivery[]> =>
    (await queue.lease(leaseRequest({ limit: 5, now: 2_000 }))).deliveries;
  async function reopen(): Promise<void> {
    await queue.close();
    queue = open();
  }
  /** Interrupts the change, as the end of the process would, once some of its steps are done. */
  async function interrupt(change: Promise<unknown>, isBegun: () => Promise<boolean>): Promise<void> {
    const outcome = rejection(change);
    while (!(await isBegun())) await nextTurn();
    await reopen();
    expect(await outcome).to.include({ code: 'store_unavailable' });
  }
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
  const countsOf = async () => {
    const { waiting, held, cancelled } = await queue.counts(2_000);
    return { waiting, held, cancelled };
  };
  const some = async (state: 'waiting' | 'held' | 'cancelled') => (await countsOf())[state] > 0;

  it('lets other calls run between its steps, leases nothing of the listener meanwhile, and moves the checkpoint after them', async () => {
    await fill(listener);
    for (const [from, to, change, leasable] of [
      ['waiting', 'held', pause, false],
      ['held', 'waiting', resumeAndRelease, true],
      ['waiting', 'cancelled', () => queue.withdraw({ listenerId: listener.listenerId }), false],
    ] as const) {
      let isDone = false;
      let between = 0;
      const changing = change().then(() => {
        isDone = true;
      });
      while (!isDone) {
        await nextTurn();
        const counts = await countsOf();
        if (counts[from] === 0 || counts[to] === 0) continue;
        between += 1;
        expect(await lease(), `${counts[from]} ${from}`).to.deep.equal([]);
        expect(counts[from] + counts[to]).to.equal(many);
      }
      await changing;
      expect(between, to).to.be.above(1);
      expect(await countsOf()).to.include({ [from]: 0, [to]: many });
      expect((await lease()).length > 0, to).to.equal(leasable);
      expect(await positionOf(queue, reader)).to.equal(2n);
    }
  });

  it('keeps other listeners served while it is under way', async () => {
    await fill(listener);
    await queue.enqueue(batchOf([other], 5), 900);
    const pausing = pause();
    expect((await lease()).map(({ listenerId }) => listenerId)).to.deep.equal(Array(5).fill(other.listenerId));
    expect(await some('waiting')).to.equal(true);
    await pausing;
  });

  it('that pauses a listener is completed when its batch is enqueued again after a crash, and nothing is leased before', async () => {
    await fill(listener);
    await interrupt(pause(), () => some('held'));
    expect(await some('waiting')).to.equal(true);
    expect(await positionOf(queue, reader)).to.equal(1n);
    expect(await lease()).to.deep.equal([]);
    await pause();
    expect(await countsOf()).to.deep.equal({ waiting: 0, held: many, cancelled: 0 });
    expect(await positionOf(queue, reader)).to.equal(2n);
  });

  for (const ordered of [false, true]) {
    it(`that releases the held deliveries of ${ordered ? 'an ordered' : 'a'} listener is completed after a crash, and leases nothing before`, async () => {
      await fill(changedListener(listener, { ordered }));
      await queue.enqueue(batch({ listeners: [changedListener(paused, { ordered })] }), 900);
      const release = () =>
        queue.enqueue(batch({ listeners: [changedListener(resumed, { ordered })], released }), 1_000);
      await interrupt(release(), () => some('waiting'));
      expect(await some('held')).to.equal(true);
      expect(await lease()).to.deep.equal([]);
      const rotated = changedListener(resumed, { ordered, secretVersion: 2, position: 300_000n });
      await queue.enqueue({ ...emptyBatch, listeners: [rotated] }, 1_000); // by a replay that is under way
      expect(await lease()).to.deep.equal([]);
      await release();
      expect(await countsOf()).to.deep.equal({ waiting: many, held: 0, cancelled: 0 });
      const leased = await lease();
      expect(leased).to.have.length(ordered ? 1 : 5);
      if (ordered) expect(leased[0]).to.deep.include({ eventId: '0-0', secret: rotated.secret });
    });
  }

  it('that removes a listener is completed by its repetition after a crash, and nothing is leased before', async () => {
    await fill(listener);
    await interrupt(queue.withdraw({ listenerId: listener.listenerId }), () => some('cancelled'));
    expect(await some('waiting')).to.equal(true);
    expect(await queue.closedGates([listener.listenerId])).to.deep.equal(new Set([listener.listenerId]));
    expect(await lease()).to.deep.equal([]);
    const { waiting, cancelled } = await countsOf();
    expect(waiting + cancelled).to.equal(many);
    expect(await queue.withdraw({ listenerId: listener.listenerId })).to.equal(waiting);
    expect(await countsOf()).to.deep.equal({ waiting: 0, held: 0, cancelled: many });
  });

  it('that cancels a replay is completed by its repetition after a crash, and leaves other deliveries alone', async () => {
    const replay = '11111111-1111-4111-8111-111111111111';
    await fill(listener, replay);
    await queue.enqueue(batchOf([listener], 3), 900);
    await interrupt(queue.withdraw({ replay }), () => some('cancelled'));
    const { cancelled } = await countsOf();
    expect(await queue.withdraw({ replay })).to.equal(many - cancelled);
    expect(await countsOf()).to.deep.equal({ waiting: 3, held: 0, cancelled: many });
    expect(await lease()).to.have.length(3);
  });

  for (const [change, state] of [
    ['paused', 'held'],
    ['removed', 'cancelled'],
  ] as const) {
    it(`leases no delivery again whose attempt fails while its listener is being ${change}`, async () => {
      await fill(listener);
      const leased = await lease();
      const changing = change === 'paused' ? pause() : queue.withdraw({ listenerId: listener.listenerId });
      while (!(await some(state))) await nextTurn();
      await queue.record(
        leased.map((each) => failed(each, 1_500)),
        1_400,
      );
      expect(await some('waiting'), 'it is under way').to.equal(true);
      expect(await lease()).to.deep.equal([]);
      await changing;
      expect(await countsOf()).to.include({ waiting: 0, [state]: many });
      expect(await lease()).to.deep.equal([]);
    });
  }

  it('records an attempt once that is under way while its listener is paused and its delivery released', async () => {
    await fill(listener);
    const leased = await lease();
    await pause();
    await resumeAndRelease();
    await resumeAndRelease(); // after a lost answer
    await queue.record(
      leased.map((each) => failed(each, 5_000)),
      1_400,
    );
    const ids = new Set(leased.map(({ id }) => id));
    const listed = await Promise.all([...ids].map((id) => queue.deliveries({ orgId: 'acme', id })));
    expect(
      listed.flatMap(({ deliveries }) => deliveries).map(({ dueAt, attempts }) => [dueAt, attempts]),
    ).to.deep.equal(Array(5).fill([5_000, 1]));
  });
});
