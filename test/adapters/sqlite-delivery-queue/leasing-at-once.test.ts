import { expect } from 'chai';
import fc from 'fast-check';
import type { QueuedListener } from '../../../src/queue/delivery.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { CheckpointLost } from '../../../src/queue/fan-out-batch.js';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import {
  batchOf,
  emptyBatch,
  enqueueAndLease,
  failed,
  type LeaseFields,
  leaseRequest,
  queuedListener,
  released,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const idsOf = (deliveries: readonly { id: string }[]): string[] => deliveries.map(({ id }) => id);
const none = { deliveries: [], nextDueAt: undefined };

describe('leasing right after enqueueing, on SQLite', () => {
  let queue: DeliveryQueue;

  beforeEach(() => {
    queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
  });
  afterEach(() => queue.close());

  /** Leases that are taken with the enqueue. */
  async function taken(batch: ReturnType<typeof batchOf>, fields: LeaseFields = {}) {
    const { lease } = await enqueueAndLease(queue, batch, 1_000, leaseRequest(fields));
    return lease ?? expect.fail('the answer has no lease');
  }
  const found = (fields: LeaseFields = {}) => queue.lease(leaseRequest(fields));

  it('leases the deliveries that a separate lease would have returned, once', async () => {
    const listeners = [
      queuedListener({
        secret: {
          keyGeneration: 'g1',
          version: 2,
          previous: { keyGeneration: 'g0', version: 1, until: '2026-01-31T12:00:00Z' },
        },
      }),
      queuedListener(),
    ];
    const batch = batchOf(listeners, 2);
    const { deliveries, nextDueAt } = await taken(batch);
    expect(nextDueAt).to.equal(undefined);
    expect((await found()).deliveries).to.deep.equal([]);
    await queue.record(deliveries.map(released), 1_000);
    const again = (await found()).deliveries;
    expect(deliveries).to.have.deep.members(again);
    await queue.record(again.map(succeeded), 1_100);
    expect((await queue.counts(1_200)).succeeded).to.equal(4);
    expect(await found()).to.deep.equal(none);
  });

  it('leases more while earlier deliveries are under way', async () => {
    const listener = queuedListener();
    const first = await taken(batchOf([listener], 3));
    const second = await taken(batchOf([listener], 3), { inFlightByListener: new Map([[listener.listenerId, 3]]) });
    expect([first.deliveries.length, second.deliveries.length]).to.deep.equal([3, 3]);
  });

  it('leaves deliveries beyond the limits for a later lease, and returns when they are due', async () => {
    const [one, other] = [queuedListener(), queuedListener({ orgId: 'other' })];
    const underWay = new Map([[one.listenerId, 98]]);
    expect((await taken(batchOf([one], 5), { inFlightByListener: underWay })).deliveries).to.have.lengthOf(2);
    const many = await taken(batchOf([other], 5), { limit: 3, inFlightByListener: new Map([[one.listenerId, 100]]) });
    expect(many.nextDueAt).to.equal(1_000);
    expect(many.deliveries.map(({ orgId }) => orgId)).to.deep.equal(['other', 'other', 'other']);
    expect((await found()).deliveries).to.have.lengthOf(3 + 2);
  });

  it('leaves deliveries beyond the share of their organisation', async () => {
    const limits = { perOrganisation: 4, inFlightByOrganisation: new Map([['acme', 3]]) };
    expect((await taken(batchOf([queuedListener(), queuedListener()], 5), limits)).deliveries).to.have.lengthOf(1);
    expect((await found()).deliveries).to.have.lengthOf(9);
  });

  it('leases deliveries that have waited longer first', async () => {
    const [listener, other] = [queuedListener(), queuedListener()];
    const waiting = batchOf([listener]);
    await queue.enqueue(waiting, 900);
    await queue.enqueue(batchOf([other]), 950);
    const { deliveries } = await taken(batchOf([listener, other]), { limit: 1 });
    expect(idsOf(deliveries)).to.have.members(idsOf(waiting.deliveries));
  });

  it('leases new deliveries beside a retry that is not due, and a retry that is due', async () => {
    const listener = queuedListener();
    const [first] = (await taken(batchOf([listener]))).deliveries as [LeasedDelivery];
    await queue.record([failed(first, 1_500)], 1_000);
    expect((await taken(batchOf([listener]))).deliveries).to.have.lengthOf(1);
    const { lease } = await enqueueAndLease(queue, batchOf([listener]), 1_600, leaseRequest({ now: 1_600 }));
    expect(lease?.deliveries.map(({ attempt }) => attempt)).to.deep.equal([2, 1]);
  });

  it('leases nothing of a listener that is paused, closed or kept back', async () => {
    const failing = queuedListener();
    await queue.enqueue(batchOf([failing], 15), 900);
    const attempted = (await found()).deliveries.map((each) => failed(each, 90_000));
    await queue.record(attempted, 1_000);
    const gone = queuedListener();
    await queue.enqueue({ ...emptyBatch, ended: [gone.listenerId] }, 900);
    const asked = queuedListener();
    const [refused] = (await taken(batchOf([asked]))).deliveries as [LeasedDelivery];
    await queue.record([failed(refused, 90_000, { notBefore: 50_000 })], 1_000);
    for (const listener of [failing, gone, asked, queuedListener({ paused: true })]) {
      expect((await taken(batchOf([listener]))).deliveries).to.deep.equal([]);
    }
  });

  it('leases as many deliveries as the order or rate of the listener allows', async () => {
    const listeners = [queuedListener({ ordered: true }), queuedListener({ ratePerSecond: 1 })];
    for (const listener of listeners) expect((await taken(batchOf([listener], 5))).deliveries).to.have.lengthOf(1);
    expect((await taken(batchOf([queuedListener()], 5), { ratePerSecond: 1 })).deliveries).to.have.lengthOf(1);
  });

  it('leases nothing of a listener that ends in the same batch', async () => {
    const [ending, staying] = [queuedListener(), queuedListener()];
    const { deliveries } = await taken({ ...batchOf([ending, staying]), ended: [ending.listenerId] });
    expect(deliveries.map(({ listenerId }) => listenerId)).to.deep.equal([staying.listenerId]);
    expect((await found()).deliveries).to.deep.equal([]);
  });

  it('leases a delivery once, though it is enqueued again', async () => {
    const batch = batchOf([queuedListener()]);
    expect((await taken(batch)).deliveries).to.have.lengthOf(1);
    expect((await taken(batch)).deliveries).to.deep.equal([]);
  });

  it('leases nothing of a batch that was refused', async () => {
    const batch = batchOf([queuedListener()]);
    const checkpoint = { reader: 'fan-out', position: 7n, follows: true } as const;
    expect(await rejection(queue.enqueue({ ...batch, checkpoint }, 1_000))).to.be.instanceOf(CheckpointLost);
    expect(await found()).to.deep.equal(none);
    expect((await taken(batch)).deliveries).to.have.lengthOf(1);
  });

  it('loses its leases in a crash: the next process leases the deliveries again', async () => {
    const directory = temporaryDirectory();
    const crashed = openSqliteDeliveryQueue({ directory });
    const batch = batchOf([queuedListener()], 3);
    await enqueueAndLease(crashed, batch, 1_000, leaseRequest());
    await crashed.close();
    const restarted = openSqliteDeliveryQueue({ directory });
    const { deliveries } = await restarted.lease(leaseRequest());
    expect(idsOf(deliveries)).to.have.members(idsOf(batch.deliveries));
    await restarted.close();
  });

  it('delivers everything once under any order of enqueueing, leasing, releasing and retrying', async () => {
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('enqueue' as const),
        listener: fc.nat(3),
        events: fc.integer({ min: 1, max: 4 }),
        takes: fc.boolean(),
      }),
      fc.record({ kind: fc.constant('lease' as const), limit: fc.integer({ min: 1, max: 5 }) }),
      fc.record({
        kind: fc.constant('end' as const),
        count: fc.integer({ min: 1, max: 4 }),
        how: fc.constantFrom('succeeded', 'failed', 'released'),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const directory = temporaryDirectory();
        const each = openSqliteDeliveryQueue({ directory });
        const listeners: readonly QueuedListener[] = [
          queuedListener(),
          queuedListener(),
          queuedListener({ ordered: true }),
          queuedListener({ orgId: 'other' }),
        ];
        const perListener = 3;
        const underWay = new Map<string, LeasedDelivery>();
        const wanted = new Set<string>();
        const delivered: string[] = [];
        let now = 1_000;

        const request = (limit: number) => {
          const counts = new Map<string, number>();
          for (const { listenerId } of underWay.values()) counts.set(listenerId, (counts.get(listenerId) ?? 0) + 1);
          return leaseRequest({ limit, perListener, inFlightByListener: counts, now });
        };
        const begin = (deliveries: readonly LeasedDelivery[], limit: number) => {
          expect(deliveries.length).to.be.at.most(limit);
          for (const delivery of deliveries) {
            expect(underWay.has(delivery.id), 'leased twice').to.equal(false);
            underWay.set(delivery.id, delivery);
          }
          for (const { listenerId, subscription } of listeners) {
            const count = [...underWay.values()].filter((one) => one.listenerId === listenerId).length;
            expect(count).to.be.at.most(subscription.ordered ? 1 : perListener);
          }
        };
        const end = async (count: number, how: string) => {
          const ending = [...underWay.values()].slice(0, count);
          for (const { id } of ending) underWay.delete(id);
          if (how === 'succeeded') delivered.push(...idsOf(ending));
          const outcome = (one: LeasedDelivery) =>
            how === 'succeeded'
              ? succeeded(one)
              : how === 'failed'
                ? failed(one, now, { byListener: false })
                : released(one);
          await each.record(ending.map(outcome), now);
        };

        for (const one of steps) {
          now += 1;
          if (one.kind === 'enqueue') {
            const batch = batchOf([listeners[one.listener] as QueuedListener], one.events);
            for (const { id } of batch.deliveries) wanted.add(id);
            await each.enqueue(batch, now);
            if (one.takes) begin((await each.lease(request(4))).deliveries, 4);
          } else if (one.kind === 'lease') {
            begin((await each.lease(request(one.limit))).deliveries, one.limit);
          } else {
            await end(one.count, one.how);
          }
        }
        for (let before = -1; delivered.length > before; ) {
          before = delivered.length;
          now += 10_000;
          await end(underWay.size, 'succeeded');
          begin((await each.lease(request(100))).deliveries, 100);
          if (underWay.size > 0) before = -1;
        }
        expect(delivered).to.have.lengthOf(wanted.size);
        expect(new Set(delivered)).to.deep.equal(wanted);
        await each.close();
      }),
      { numRuns: 60 },
    );
  });
});
