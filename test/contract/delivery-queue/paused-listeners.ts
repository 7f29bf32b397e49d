import { expect } from 'chai';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import {
  batchOf,
  changedListener,
  emptyBatch,
  exhausted,
  failed,
  leaseRequest,
  queuedListener,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import type { QueueContext } from './context.js';

export function pausedListenersContract({ queue, leaseOne, reopen }: QueueContext): void {
  const listener = queuedListener({ position: 1n });
  const paused = { ...listener, paused: true, position: 5n };
  const resumed = { ...listener, position: 9n };
  const healthOf = async (listenerId: string) =>
    (await queue().listenerStates([listenerId])).get(listenerId)?.health ?? { recent: [] };
  const put = (which: typeof listener) => queue().enqueue({ ...emptyBatch, listeners: [which] }, 900);

  describe('a paused listener', () => {
    it('holds waiting deliveries, and none is leased', async () => {
      const other = queuedListener();
      await queue().enqueue(batchOf([listener, other], 3), 900);
      await put(paused);
      await reopen();

      expect(await queue().counts(1_000)).to.include({ waiting: 3, held: 3 });
      const { deliveries, nextDueAt } = await queue().lease(leaseRequest());
      expect(new Set(deliveries.map(({ listenerId }) => listenerId))).to.deep.equal(new Set([other.listenerId]));
      expect(nextDueAt === undefined || nextDueAt > 1_000).to.equal(true);
    });

    it('holds enqueued deliveries', async () => {
      await queue().enqueue(batchOf([paused], 2), 900);
      expect(await queue().counts(1_000)).to.include({ waiting: 0, held: 2, oldestDueAt: undefined });
      expect((await queue().lease(leaseRequest())).deliveries).to.deep.equal([]);
    });

    it('holds the deliveries of its flow events, though the listener has been resumed since', async () => {
      const batch = batchOf([listener], 2);
      const deliveries = batch.deliveries.map((delivery, index) =>
        index === 0 ? { ...delivery, held: true as const } : delivery,
      );
      await queue().enqueue({ ...batch, deliveries }, 900);
      expect(await queue().counts(1_000)).to.include({ waiting: 1, held: 1 });
      expect(await leaseOne()).to.include({ id: deliveries[1]?.id });
    });

    it('is determined by its latest listener event', async () => {
      await put(paused);
      await queue().enqueue(batchOf([listener], 1), 900); // an event from before
      expect(await queue().counts(1_000)).to.include({ waiting: 0, held: 1 });
    });

    it('keeps held deliveries when it is resumed, and gets later ones', async () => {
      await queue().enqueue(batchOf([paused], 2), 900);
      const later = batchOf([resumed]);
      await queue().enqueue(later, 900);
      expect(await queue().counts(1_000)).to.include({ waiting: 1, held: 2 });
      expect(await leaseOne()).to.include({ id: later.deliveries[0]?.id });
    });

    it('begins anew when it is resumed: its breaker is closed, and its failures are forgotten', async () => {
      await queue().enqueue(batchOf([listener], 15), 900);
      const { deliveries } = await queue().lease(leaseRequest({ limit: 10 }));
      const { troubled } = await queue().record(
        deliveries.map((each) => failed(each, 2_000)),
        1_000,
      );
      expect(troubled[0]?.health.breaker).to.include({ openings: 1 });
      await put(changedListener(paused, { secretVersion: 2 }));
      expect((await healthOf(listener.listenerId)).breaker).to.include({ openings: 1 });
      await put(resumed);

      expect(await healthOf(listener.listenerId)).to.deep.equal({ recent: [] });
      expect((await queue().counts(1_000)).openBreakers).to.equal(0);
      await queue().redeliver({ orgId: 'acme', states: ['held'] }, 2_000);
      const again = (await queue().lease(leaseRequest({ now: 2_000 }))).deliveries;
      expect(again).to.have.length(15);
      const [first] = again as [LeasedDelivery];
      expect((await queue().record([failed(first, 9_000)], 2_000)).troubled[0]?.health.failing).to.include({
        since: 2_000,
        attempts: 1,
      });
    });

    it('keeps its health when other fields change', async () => {
      await queue().enqueue(batchOf([listener]), 900);
      await queue().record([failed(await leaseOne(), 9_000)], 1_000);
      await put(changedListener(listener, { position: 5n, secretVersion: 2 }));
      await reopen();
      expect((await healthOf(listener.listenerId)).failing).to.include({ since: 1_000, attempts: 1 });
    });

    it('records attempts under way at a pause, and holds what would wait', async () => {
      await queue().enqueue(batchOf([listener], 3), 900);
      const { deliveries } = await queue().lease(leaseRequest());
      const [one, two, three] = deliveries as [LeasedDelivery, LeasedDelivery, LeasedDelivery];
      await put(paused);
      await queue().record([succeeded(one), failed(two, 2_000), exhausted(three)], 1_000);

      expect(await queue().counts(1_000)).to.include({ waiting: 0, held: 1, succeeded: 1, exhausted: 1 });
      const [held] = (await queue().deliveries({ orgId: 'acme', states: ['held'] })).deliveries;
      expect(held).to.include({ id: two.id, attempts: 1, lastStatus: 500, dueAt: undefined });
      expect((await queue().lease(leaseRequest({ now: 9_000 }))).deliveries).to.deep.equal([]);
    });

    it('makes held deliveries due when it is resumed with them, and those of the same batch', async () => {
      await queue().enqueue(batchOf([paused], 2, 'earlier'), 900);
      const batch = batchOf([resumed], 3, 'last');
      const deliveries = batch.deliveries.map((each) => ({ ...each, held: true as const }));
      const released = [{ listenerId: listener.listenerId, before: 9n }];
      await queue().enqueue({ ...batch, deliveries, released }, 950);
      await reopen();
      expect(await queue().counts(1_000)).to.include({ waiting: 5, held: 0, oldestDueAt: 950 });
      const leased = (await queue().lease(leaseRequest())).deliveries;
      expect(leased.map(({ attempt }) => attempt)).to.deep.equal([1, 1, 1, 1, 1]);
      await queue().record(leased.map(succeeded), 1_000);
      await queue().enqueue({ ...emptyBatch, released }, 1_000);
      expect(await queue().counts(1_000)).to.include({ waiting: 0, succeeded: 5 });
    });

    it('delivers held deliveries in order, if it became ordered while it was paused', async () => {
      await queue().enqueue(batchOf([paused], 3, 'event'), 900);
      await put(changedListener(paused, { ordered: true, position: 6n }));
      expect((await queue().lease(leaseRequest())).deliveries).to.deep.equal([]);
      await put(changedListener(resumed, { ordered: true }));
      await queue().enqueue({ ...emptyBatch, released: [{ listenerId: listener.listenerId, before: 9n }] }, 900);
      for (const event of ['event-0', 'event-1', 'event-2']) {
        const delivery = await leaseOne();
        expect([delivery.eventId, delivery.subscription.ordered]).to.deep.equal([event, true]);
        expect((await queue().lease(leaseRequest())).deliveries).to.deep.equal([]);
        await queue().record([succeeded(delivery)], 1_000);
      }
    });

    it('keeps held deliveries of later flow events, or once it is paused again', async () => {
      const { listenerId } = listener;
      await queue().enqueue(batchOf([paused], 3), 900); // at the positions 0 to 2
      await queue().enqueue({ ...emptyBatch, released: [{ listenerId, before: 9n }] }, 900);
      expect(await queue().counts(1_000)).to.include({ waiting: 0, held: 3 });
      await put(resumed);
      await queue().enqueue({ ...emptyBatch, released: [{ listenerId, before: 2n }] }, 900);
      expect(await queue().counts(1_000)).to.include({ waiting: 2, held: 1 });
      await queue().withdraw({ listenerId });
      await queue().enqueue({ ...emptyBatch, released: [{ listenerId, before: 9n }] }, 900);
      expect(await queue().counts(1_000)).to.include({ waiting: 0, cancelled: 3 });
    });

    it('records the attempt under way at a resume with held deliveries, and makes no second one', async () => {
      await queue().enqueue(batchOf([listener], 2), 900);
      const { deliveries } = await queue().lease(leaseRequest());
      const [one, two] = deliveries as [LeasedDelivery, LeasedDelivery];
      await put(paused);
      await put(resumed);
      await queue().enqueue({ ...emptyBatch, released: [{ listenerId: listener.listenerId, before: 9n }] }, 900);
      expect((await queue().lease(leaseRequest())).deliveries).to.deep.equal([]);
      await queue().record([succeeded(one), failed(two, 5_000)], 1_000);
      expect(await queue().counts(1_000)).to.include({ waiting: 1, succeeded: 1 });
      expect((await queue().lease(leaseRequest({ now: 4_000 }))).deliveries).to.deep.equal([]);
      expect(await leaseOne(5_000)).to.include({ id: two.id, attempt: 2 });
    });

    it('cancels held deliveries once its gate closes', async () => {
      await queue().enqueue(batchOf([paused], 2), 900);
      expect(await queue().withdraw({ listenerId: listener.listenerId })).to.equal(2);
      expect(await queue().counts(1_000)).to.include({ held: 0, cancelled: 2 });
    });
  });
}
