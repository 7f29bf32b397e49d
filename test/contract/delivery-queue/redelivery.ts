import { expect } from 'chai';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import {
  batchOf,
  emptyBatch,
  exhausted,
  failed,
  leaseRequest,
  queuedListener,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import type { QueueContext } from './context.js';

export function redeliveryContract({ queue, leaseOne, reopen }: QueueContext): void {
  const acme = { orgId: 'acme' };

  describe('redelivery', () => {
    it('makes dead letters, delivered and held deliveries due, and continues the numbers of attempts', async () => {
      const listener = queuedListener();
      await queue().enqueue(batchOf([listener], 2), 900);
      const { deliveries } = await queue().lease(leaseRequest());
      const [one, two] = deliveries as [LeasedDelivery, LeasedDelivery];
      await queue().record([exhausted(one), succeeded(two)], 1_000);
      const batch = batchOf([listener]);
      await queue().enqueue(
        { ...batch, deliveries: batch.deliveries.map((each) => ({ ...each, held: true as const })) },
        1_000,
      );

      expect(await queue().redeliver(acme, 2_000)).to.deep.equal({ redelivered: 3, next: undefined });
      await reopen();
      expect(await queue().counts(2_000)).to.include({
        waiting: 3,
        held: 0,
        succeeded: 0,
        exhausted: 0,
        oldestDueAt: 2_000,
      });
      const again = (await queue().lease(leaseRequest({ now: 2_000 }))).deliveries;
      expect(again.map(({ attempt }) => attempt)).to.have.members([2, 2, 1]);
      expect(again.map(({ webhookId }) => webhookId)).to.include(one.webhookId);
    });

    it('replaces the retry that was waiting', async () => {
      await queue().enqueue(batchOf([queuedListener()]), 900);
      const delivery = await leaseOne();
      const { id } = delivery;
      await queue().record([failed(delivery, 50_000)], 1_000);
      expect((await queue().redeliver({ ...acme, id }, 2_000)).redelivered).to.equal(1);
      const again = await leaseOne(2_000);
      expect(again).to.include({ id, attempt: 2 });
      await queue().record([succeeded(again)], 2_000);
      expect((await queue().lease(leaseRequest({ now: 50_000 }))).deliveries).to.deep.equal([]);
    });

    it('comes after the attempt under way, whatever its outcome', async () => {
      await queue().enqueue(batchOf([queuedListener()], 3), 900);
      const { deliveries } = await queue().lease(leaseRequest());
      const [one, two, three] = deliveries as [LeasedDelivery, LeasedDelivery, LeasedDelivery];
      expect((await queue().redeliver(acme, 1_500)).redelivered).to.equal(3);
      expect((await queue().lease(leaseRequest({ now: 1_500 }))).deliveries).to.deep.equal([]);

      await queue().record([succeeded(one), failed(two, 90_000), exhausted(three)], 2_000);
      expect(await queue().counts(2_000)).to.include({ waiting: 3, succeeded: 0, exhausted: 0 });
      const again = (await queue().lease(leaseRequest({ now: 2_000 }))).deliveries;
      expect(again.map(({ attempt }) => attempt)).to.deep.equal([2, 2, 2]);
      await queue().record(again.map(succeeded), 2_500);
      expect(await queue().counts(2_500)).to.include({ waiting: 0, succeeded: 3 });
    });

    it('leaves out deliveries behind a closed gate or of a paused listener', async () => {
      const [closed, paused, open] = [queuedListener(), queuedListener(), queuedListener()];
      await queue().enqueue(batchOf([closed, paused, open]), 900);
      await queue().withdraw({ listenerId: closed.listenerId });
      await queue().enqueue({ ...emptyBatch, listeners: [{ ...paused, paused: true, position: 2n }] }, 900);
      expect((await queue().redeliver(acme, 1_000)).redelivered).to.equal(1);
      expect(await queue().counts(1_000)).to.include({ waiting: 1, held: 1, cancelled: 1 });
    });

    it('goes through what the query lists step by step', async () => {
      const listener = queuedListener();
      await queue().enqueue(batchOf([listener, queuedListener()], 5), 900);
      const { deliveries } = await queue().lease(leaseRequest());
      await queue().record(deliveries.map(exhausted), 1_000);

      const query = { ...acme, listenerId: listener.listenerId, states: ['exhausted'] as const };
      const first = await queue().redeliver({ ...query, limit: 3 }, 2_000);
      expect(first.redelivered).to.equal(3);
      const rest = await queue().redeliver({ ...query, limit: 3, after: first.next as string }, 2_000);
      expect(rest).to.deep.equal({ redelivered: 2, next: undefined });
      expect(await queue().counts(2_000)).to.include({ waiting: 5, exhausted: 5 });
    });

    it('reaches nothing of another organisation', async () => {
      await queue().enqueue(batchOf([queuedListener()]), 900);
      const delivery = await leaseOne();
      await queue().record([exhausted(delivery)], 1_000);
      const redelivered = await queue().redeliver({ orgId: 'globex', id: delivery.id }, 2_000);
      expect(redelivered).to.deep.equal({ redelivered: 0, next: undefined });
    });
  });
}
