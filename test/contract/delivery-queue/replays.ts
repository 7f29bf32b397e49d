import { expect } from 'chai';
import {
  batchOf,
  emptyBatch,
  failed,
  leaseRequest,
  queuedListener,
} from '../../support/deliveries/delivery-batches.js';
import type { QueueContext } from './context.js';

export function replaysContract({ queue, leaseOne, reopen }: QueueContext): void {
  const replayOf = (replay: string, listener = queuedListener(), events = 3) => {
    const batch = batchOf([listener], events);
    return { ...batch, deliveries: batch.deliveries.map((each) => ({ ...each, id: `${replay}/${each.id}`, replay })) };
  };

  describe('a replay', () => {
    it('is named by its deliveries', async () => {
      await queue().enqueue(replayOf('one'), 900);
      await queue().enqueue(replayOf('two', queuedListener(), 2), 900);
      expect((await leaseOne()).replay).to.be.oneOf(['one', 'two']);
      const listed = (await queue().deliveries({ orgId: 'acme', replay: 'two' })).deliveries;
      expect(listed.map(({ replay }) => replay)).to.deep.equal(['two', 'two']);
      expect(
        (await queue().deliveries({ orgId: 'acme', replay: 'two', states: ['succeeded'] })).deliveries,
      ).to.deep.equal([]);
    });

    it('delivers an event again under its own id, beside what was delivered before', async () => {
      const listener = queuedListener();
      const batch = batchOf([listener]);
      await queue().enqueue(batch, 900);
      const again = batch.deliveries.map((each) => ({ ...each, id: `again/${each.id}`, replay: 'one' }));
      expect(await queue().enqueue({ ...batch, deliveries: again }, 900)).to.deep.equal({ added: 1 });
      const { deliveries } = await queue().lease(leaseRequest());
      expect(new Set(deliveries.map(({ webhookId }) => webhookId)).size).to.equal(1);
    });

    it('that is cancelled delivers nothing more, not what is enqueued later either', async () => {
      const listener = queuedListener();
      await queue().enqueue(replayOf('one', { ...listener, paused: true }, 2), 900);
      await queue().enqueue(replayOf('one', { ...listener, position: 2n }, 3), 900);
      await queue().enqueue(replayOf('two', { ...listener, position: 2n }, 1), 900);
      expect(await queue().withdraw({ replay: 'one' })).to.equal(5);
      expect(await queue().withdraw({ replay: 'one' })).to.equal(0);
      await reopen();

      await queue().enqueue(replayOf('one', listener), 900);
      expect(await queue().counts(900)).to.include({ waiting: 1, held: 0, cancelled: 8 });
      const { deliveries, nextDueAt } = await queue().lease(leaseRequest());
      expect(deliveries.map(({ replay }) => replay)).to.deep.equal(['two']);
      expect(nextDueAt).to.not.equal(1_000);
    });

    it('that the fan-out hands over as cancelled delivers nothing more either', async () => {
      const listener = queuedListener();
      await queue().enqueue(replayOf('one', listener), 900);
      await queue().enqueue({ ...emptyBatch, cancelledReplays: ['one'] }, 900);
      await queue().enqueue(replayOf('one', listener), 900);
      expect(await queue().counts(900)).to.include({ waiting: 0, cancelled: 6 });
      expect((await queue().lease(leaseRequest())).deliveries).to.deep.equal([]);
    });

    it('that is cancelled keeps what was under way from being tried again', async () => {
      await queue().enqueue(replayOf('one', queuedListener(), 1), 900);
      const delivery = await leaseOne();
      expect(await queue().withdraw({ replay: 'one' })).to.equal(1);
      await queue().record([failed(delivery, 2_000)], 1_000);
      expect(await queue().counts(1_000)).to.include({ waiting: 0, cancelled: 1 });
      expect((await queue().lease(leaseRequest({ now: 9_000 }))).deliveries).to.deep.equal([]);
    });

    it('brings the body of a message back that had none', async () => {
      const listener = queuedListener();
      const batch = batchOf([listener]);
      const messages = batch.messages.map((message) => ({ ...message, body: null }));
      await queue().enqueue({ ...emptyBatch, messages }, 900);
      await queue().enqueue(batch, 900);
      expect((await leaseOne()).body).to.equal(batch.messages[0]?.body);
    });
  });
}
