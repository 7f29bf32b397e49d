import { expect } from 'chai';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import {
  batchOf,
  exhausted,
  failed,
  leaseRequest,
  queuedListener,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import type { QueueContext } from './context.js';

export function outcomesContract({ queue, leaseOne, reopen }: QueueContext): void {
  describe('outcomes', () => {
    it('are written down with the state that follows from them', async () => {
      const listener = queuedListener();
      await queue().enqueue(batchOf([listener], 3), 900);
      const { deliveries } = await queue().lease(leaseRequest());
      const [one, two, three] = deliveries as [LeasedDelivery, LeasedDelivery, LeasedDelivery];
      expect(await queue().record([succeeded(one), failed(two, 6_000), exhausted(three)], 1_010)).to.include({
        counted: 3,
      });
      expect(await queue().counts(1_010)).to.include({ waiting: 1, succeeded: 1, exhausted: 1, cancelled: 0 });

      const records = (await queue().deliveries({ orgId: 'acme' })).deliveries;
      const stateOf = ({ id }: LeasedDelivery) => records.find((record) => record.id === id);
      expect(stateOf(one)).to.include({ state: 'succeeded', attempts: 1, lastStatus: 200, dueAt: undefined });
      expect(stateOf(two)).to.include({ state: 'waiting', attempts: 1, lastError: 'http_status', dueAt: 6_000 });
      expect(stateOf(three)).to.include({ state: 'exhausted', lastStatus: undefined, lastError: 'refused' });
      expect(stateOf(one)).to.include({ listenerId: listener.listenerId, enqueuedAt: 900, lastAttemptAt: 1_000 });
    });

    it('survive a restart: retries are due at their times, and final deliveries stay final', async () => {
      await queue().enqueue(batchOf([queuedListener()], 3), 900);
      const { deliveries } = await queue().lease(leaseRequest());
      const [one, two, three] = deliveries as [LeasedDelivery, LeasedDelivery, LeasedDelivery];
      await queue().record([succeeded(one), failed(two, 6_000), exhausted(three)], 1_000);
      await reopen();

      expect((await queue().lease(leaseRequest({ now: 5_999 }))).deliveries).to.deep.equal([]);
      expect(await leaseOne(6_000)).to.include({ id: two.id, attempt: 2, body: two.body });
    });

    it('tells how long the longest waiting has been due', async () => {
      const listener = queuedListener();
      await queue().enqueue(batchOf([listener]), 800);
      await queue().enqueue(batchOf([listener]), 900);
      expect((await queue().counts(1_000)).oldestDueAt).to.equal(800);
      await queue().record([failed(await leaseOne(), 9_000)], 1_000);
      expect((await queue().counts(1_000)).oldestDueAt).to.equal(900);
      await queue().record([succeeded(await leaseOne())], 1_000);
      expect((await queue().counts(1_000)).oldestDueAt).to.equal(undefined);
    });
  });
}
