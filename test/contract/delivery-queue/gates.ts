import { expect } from 'chai';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import {
  batchOf,
  failed,
  leaseRequest,
  queuedListener,
  released,
  succeeded,
} from '../../support/deliveries/delivery-batches.js';
import { countOf, type QueueContext } from './context.js';

export function gatesContract({ queue, reopen }: QueueContext): void {
  describe('gates', () => {
    it('cancel waiting deliveries and lease no others', async () => {
      const ending = queuedListener();
      const staying = queuedListener();
      await queue().enqueue(batchOf([ending, staying], 4), 900);
      expect(await queue().withdraw({ listenerId: ending.listenerId })).to.equal(4);

      const { deliveries } = await queue().lease(leaseRequest());
      expect(countOf(deliveries, ending.listenerId)).to.equal(0);
      expect(countOf(deliveries, staying.listenerId)).to.equal(4);
      expect(await queue().counts(1_000)).to.include({ waiting: 4, cancelled: 4 });
      expect(await queue().closedGates([ending.listenerId, staying.listenerId])).to.deep.equal(
        new Set([ending.listenerId]),
      );
    });

    it('count as closed if the queue does not know them', async () => {
      expect(await queue().closedGates(['unknown'])).to.deep.equal(new Set(['unknown']));
    });

    it('stay closed when closed again, and after opening the queue again', async () => {
      const ending = queuedListener();
      await queue().withdraw({ listenerId: ending.listenerId });
      expect(await queue().withdraw({ listenerId: ending.listenerId })).to.equal(0);
      await reopen();

      await queue().enqueue(batchOf([ending], 2), 900);
      expect(await queue().counts(900)).to.include({ waiting: 0, cancelled: 2 });
      expect((await queue().lease(leaseRequest())).deliveries).to.deep.equal([]);
    });

    it('close after the deliveries of their batch, and cancel those too', async () => {
      const ending = queuedListener();
      await queue().enqueue({ ...batchOf([ending], 2), ended: [ending.listenerId] }, 900);
      expect(await queue().counts(900)).to.include({ waiting: 0, cancelled: 2 });
    });

    it('cancel deliveries under way when they closed, and keep their outcomes', async () => {
      const ending = queuedListener();
      await queue().enqueue(batchOf([ending], 3), 900);
      const { deliveries } = await queue().lease(leaseRequest());
      const [one, two, three] = deliveries as [LeasedDelivery, LeasedDelivery, LeasedDelivery];
      await queue().withdraw({ listenerId: ending.listenerId });
      await queue().record([succeeded(one), failed(two, 2_000), released(three)], 1_000);

      expect(await queue().counts(9_000)).to.include({ waiting: 0, succeeded: 1, cancelled: 2 });
      expect((await queue().lease(leaseRequest({ now: 100_000 }))).deliveries).to.deep.equal([]);
      const log = (await queue().deliveries({ orgId: 'acme', listenerId: ending.listenerId })).deliveries;
      expect(log.find(({ id }) => id === two.id)).to.include({ state: 'cancelled', attempts: 1, lastStatus: 500 });
    });
  });
}
