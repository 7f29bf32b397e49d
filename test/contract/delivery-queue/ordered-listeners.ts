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
  released,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import type { QueueContext } from './context.js';

export function orderedListenersContract({ queue, leaseOne, reopen }: QueueContext): void {
  const listener = queuedListener({ ordered: true });
  const lease = async (now: number) =>
    (await queue().lease(leaseRequest({ now }))).deliveries.map(({ eventId }) => eventId);

  describe('an ordered listener', () => {
    it('gets one delivery at a time, in the order of the flow events', async () => {
      await queue().enqueue(batchOf([listener], 3, 'event'), 900);
      for (const event of ['event-0', 'event-1', 'event-2']) {
        const delivery = await leaseOne();
        expect(delivery).to.deep.include({ eventId: event, subscription: listener.subscription });
        expect(await lease(1_000)).to.deep.equal([]);
        await queue().record([succeeded(delivery)], 1_000);
      }
      expect(await lease(1_000)).to.deep.equal([]);
    });

    it('gets them in that order whichever was enqueued first', async () => {
      const batch = batchOf([listener], 3, 'event');
      const deliveries = [...batch.deliveries].reverse();
      for (const delivery of deliveries) await queue().enqueue({ ...batch, deliveries: [delivery] }, 900);
      const delivery = await leaseOne();
      expect(delivery.eventId).to.equal('event-0');
    });

    it('gets nothing before the failed delivery has been delivered or is a dead letter', async () => {
      await queue().enqueue(batchOf([listener], 3, 'event'), 900);
      await queue().record([failed(await leaseOne(), 5_000)], 1_000);
      await reopen();

      expect(await queue().lease(leaseRequest({ now: 4_000 }))).to.deep.equal({ deliveries: [], nextDueAt: 5_000 });
      const later = batchOf([listener], 1, 'later');
      await queue().enqueue({ ...later, messages: later.messages.map((each) => ({ ...each, position: 9n })) }, 4_000);
      expect(await lease(4_500)).to.deep.equal([]);
      const again = await leaseOne(5_000);
      expect(again).to.include({ eventId: 'event-0', attempt: 2 });
      await queue().record([exhausted(again)], 5_000);
      expect(await lease(5_000)).to.deep.equal(['event-1']);
    });

    it('gets released deliveries again', async () => {
      await queue().enqueue(batchOf([listener], 2, 'event'), 900);
      await queue().record([released(await leaseOne())], 1_000);
      expect(await lease(1_000)).to.deep.equal(['event-0']);
    });

    it('gets its next deliveries in order by requests for it alone, which say when all have to be looked at', async () => {
      await queue().enqueue(batchOf([listener], 20, 'event'), 900);
      const got: string[] = [];
      const onlyNextOf = [listener.listenerId];
      let mayFollow = false;
      while (got.length < 20) {
        const { deliveries, nextDueAt } = await queue().lease(leaseRequest(mayFollow ? { onlyNextOf } : {}));
        if (got.length === 5) await queue().enqueue(batchOf([queuedListener()], 1, 'other'), 900);
        if (mayFollow && deliveries.length === 0) expect(nextDueAt).to.equal(1_000);
        const own = deliveries.filter(({ listenerId }) => listenerId === listener.listenerId);
        if (mayFollow) expect(own).to.deep.equal(deliveries);
        const early = await queue().lease(leaseRequest({ onlyNextOf }));
        expect(early, 'before the outcome').to.deep.include({ deliveries: [], nextDueAt: 1_000 });
        got.push(...own.map(({ eventId }) => eventId));
        await queue().record(deliveries.map(succeeded), 1_000);
        mayFollow = own.length > 0;
      }
      expect(got).to.deep.equal(Array.from({ length: 20 }, (_, index) => `event-${index}`));
    });

    it('gets nothing by a request for it alone after another outcome than a success', async () => {
      await queue().enqueue(batchOf([listener], 9, 'event'), 900);
      const onlyNextOf = [listener.listenerId];
      for (let number = 0; number < 3; number += 1) await queue().record([succeeded(await leaseOne())], 1_000);
      for (const outcome of [released, (each: LeasedDelivery) => failed(each, 5_000)]) {
        const delivery = await leaseOne();
        expect(delivery.eventId).to.equal('event-3');
        await queue().record([outcome(delivery)], 1_000);
        const followed = await queue().lease(leaseRequest({ onlyNextOf }));
        expect(followed).to.deep.include({ deliveries: [], nextDueAt: 1_000 });
      }
      expect(await queue().lease(leaseRequest())).to.deep.include({ deliveries: [], nextDueAt: 5_000 });
    });

    it('delays no other listener', async () => {
      const other = queuedListener();
      await queue().enqueue(batchOf([listener], 3), 800);
      await queue().record([failed(await leaseOne(), 50_000)], 1_000);
      await queue().enqueue(batchOf([other], 3), 900);
      expect(await lease(1_000)).to.have.length(3);
    });

    it('passes over held deliveries', async () => {
      await queue().enqueue(batchOf([{ ...listener, paused: true, position: 2n }], 2, 'event'), 900);
      await queue().enqueue(batchOf([{ ...listener, position: 3n }], 1, 'later'), 900);
      expect((await leaseOne()).eventId).to.equal('later-0');
    });

    it('gets released deliveries in order, before later ones', async () => {
      await queue().enqueue(batchOf([{ ...listener, paused: true, position: 40n }], 30, 'event'), 900);
      await queue().enqueue({ ...emptyBatch, listeners: [{ ...listener, position: 50n }] }, 900);
      await queue().enqueue({ ...emptyBatch, released: [{ listenerId: listener.listenerId, before: 50n }] }, 900);
      const later = batchOf([listener], 1, 'later');
      await queue().enqueue({ ...later, messages: later.messages.map((each) => ({ ...each, position: 51n })) }, 900);
      const got: string[] = [];
      for (;;) {
        const { deliveries } = await queue().lease(leaseRequest());
        if (deliveries.length === 0) break;
        got.push(...deliveries.map(({ eventId }) => eventId));
        await queue().record(deliveries.map(succeeded), 1_000);
      }
      expect(got).to.deep.equal([...Array.from({ length: 30 }, (_, n) => `event-${n}`), 'later-0']);
    });

    it('gets waiting deliveries in order as soon as it is ordered', async () => {
      const unordered = changedListener(listener, { ordered: false });
      const batch = batchOf([unordered], 3, 'event');
      const deliveries = [...batch.deliveries].reverse();
      for (const [index, delivery] of deliveries.entries()) {
        await queue().enqueue({ ...batch, deliveries: [delivery] }, 900 + index);
      }
      await queue().enqueue({ ...emptyBatch, listeners: [{ ...listener, position: 2n }] }, 900);
      expect(await lease(1_000)).to.deep.equal(['event-0']);

      await queue().enqueue({ ...emptyBatch, listeners: [{ ...unordered, position: 3n }] }, 900);
      expect(await lease(1_000)).to.have.members(['event-1', 'event-2']);
    });

    it('waits for no failed delivery once it is no longer ordered', async () => {
      const slow = changedListener(listener, { ratePerSecond: 1 });
      await queue().enqueue(batchOf([slow], 4, 'event'), 900);
      const first = await leaseOne();
      await queue().enqueue(
        { ...emptyBatch, listeners: [changedListener(slow, { ordered: false, position: 2n })] },
        1_100,
      );
      expect(await lease(2_500)).to.have.length(1);
      await queue().record([failed(first, 300_000)], 2_600);
      expect(await lease(4_000)).to.have.length(1);
      expect(await lease(5_500)).to.have.length(1);
    });
  });
}
