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
import { logOf } from '../../support/deliveries/log-of.js';
import type { QueueContext } from './context.js';

export function purgeContract({ queue, leaseOne }: QueueContext): void {
  const later = Date.now() + 86_400_000;

  describe('purging', () => {
    it('forgets deliveries that ended before that moment, with their attempts', async () => {
      await queue().enqueue(batchOf([queuedListener()], 2), 900);
      const { deliveries } = await queue().lease(leaseRequest());
      const [early, late] = deliveries as [LeasedDelivery, LeasedDelivery];
      await queue().record([succeeded(early)], 1_000);
      await queue().record([exhausted(late)], 2_000);

      expect((await queue().forget({ of: 'deliveries', before: 2_000, limit: 10 })).forgotten).to.equal(1);
      expect((await queue().deliveries({ orgId: 'acme' })).deliveries.map(({ id }) => id)).to.deep.equal([late.id]);
      expect(await logOf(queue(), 'acme', early.id)).to.deep.equal([]);
      expect(await logOf(queue(), 'acme', late.id)).to.have.length(1);
      expect(await queue().counts(2_000)).to.include({ succeeded: 0, exhausted: 1 });
      expect((await queue().forget({ of: 'deliveries', before: 2_000, limit: 10 })).forgotten).to.equal(0);
    });

    it('keeps the IDs of the flow events, by which lists name them', async () => {
      await queue().enqueue(batchOf([queuedListener()], 1, 'event'), 900);
      await queue().record([succeeded(await leaseOne())], 1_000);
      await queue().forget({ of: 'deliveries', before: later, limit: 10 });
      const [listed] = await queue().events({ orgId: 'acme', eventId: 'event-0' });
      expect(listed).to.include({ eventId: 'event-0', publishedId: 'published-event-0', body: null });
    });

    it('keeps waiting and held deliveries of any age', async () => {
      const held = batchOf([queuedListener()]);
      await queue().enqueue(
        { ...held, deliveries: held.deliveries.map((each) => ({ ...each, held: true as const })) },
        900,
      );
      await queue().enqueue(batchOf([queuedListener()]), 900);
      await queue().record([failed(await leaseOne(), 9_000)], 1_000);
      expect((await queue().forget({ of: 'deliveries', before: later, limit: 10 })).forgotten).to.equal(0);
      expect(await queue().counts(1_000)).to.include({ waiting: 1, held: 1 });
    });

    it('forgets cancelled deliveries', async () => {
      const listener = queuedListener();
      await queue().enqueue(batchOf([listener], 2), 900);
      await queue().withdraw({ listenerId: listener.listenerId });
      await queue().enqueue(batchOf([listener]), 900);
      expect((await queue().forget({ of: 'deliveries', before: later, limit: 10 })).forgotten).to.equal(3);
      expect(await queue().counts(1_000)).to.include({ cancelled: 0 });
    });

    it('goes step by step', async () => {
      await queue().enqueue(batchOf([queuedListener()], 5), 900);
      await queue().record((await queue().lease(leaseRequest())).deliveries.map(succeeded), 1_000);
      const steps: number[] = [];
      do steps.push((await queue().forget({ of: 'deliveries', before: later, limit: 2 })).forgotten);
      while (steps.at(-1) === 2);
      expect(steps).to.deep.equal([2, 2, 1]);
    });

    it('forgets at least one in each step, however short, until none is left', async () => {
      await queue().enqueue(batchOf([queuedListener()], 5), 900);
      await queue().record((await queue().lease(leaseRequest())).deliveries.map(succeeded), 1_000);
      let forgotten = 0;
      for (let step = 1; step > 0; forgotten += step) {
        step = (await queue().forget({ of: 'deliveries', before: later, limit: 2, withinMs: 0 })).forgotten;
        expect(step).to.be.at.most(2);
      }
      expect(forgotten).to.equal(5);
      expect(await queue().counts(1_000)).to.include({ succeeded: 0 });
    });

    it('keeps the body of a message while a delivery of it is there, and the event after that', async () => {
      const [one, two] = [queuedListener(), queuedListener()];
      const batch = batchOf([one, two], 1, 'event');
      await queue().enqueue(batch, 900);
      const first = await leaseOne();
      await queue().record([succeeded(first)], 1_000);
      expect((await queue().forget({ of: 'deliveries', before: later, limit: 10 })).forgotten).to.equal(1);

      const other = await leaseOne();
      expect(other.body).to.equal(batch.messages[0]?.body);
      await queue().record([succeeded(other)], 1_000);
      expect((await queue().forget({ of: 'deliveries', before: later, limit: 10 })).forgotten).to.equal(1);
      expect((await queue().events({ orgId: 'acme', eventId: 'event-0' }))[0]).to.include({ eventId: 'event-0' });
    });

    it('leaves nothing in the way of a delivery that is started over', async () => {
      const listener = queuedListener();
      const batch = batchOf([listener]);
      await queue().enqueue(batch, 900);
      await queue().record([succeeded(await leaseOne())], 1_000);
      await queue().forget({ of: 'deliveries', before: later, limit: 10 });
      expect(await queue().enqueue(batch, 2_000)).to.deep.equal({ added: 1 });
      expect((await leaseOne(2_000)).body).to.equal(batch.messages[0]?.body);
    });
  });
}
