import { expect } from 'chai';
import { daysOf } from '../../support/deliveries/days-of.js';
import { batchOf, failed, leaseRequest, queuedListener, succeeded } from '../../support/deliveries/delivery-batches.js';
import type { QueueContext } from './context.js';

export function forgettingContract({ queue, leaseOne, reopen }: QueueContext): void {
  describe('forgetting an organisation', () => {
    const forgetAll = async (orgId: string): Promise<number> => {
      let forgotten = 0;
      for (;;) {
        const step = (await queue().forget({ of: 'organisation', orgId, limit: 3 })).forgotten;
        forgotten += step;
        if (step < 3) return forgotten;
      }
    };
    const wholeYear = { from: '1970-01-01', to: '1970-12-31' };

    it('removes all of it in any state, and nothing of others', async () => {
      const ours = [queuedListener(), queuedListener({ paused: true })];
      const { messages, ...batch } = batchOf(ours, 4);
      await queue().enqueue(
        { ...batch, messages: messages.map((each) => ({ ...each, terms: ['ada@example.com'] })) },
        900,
      );
      await queue().enqueue(batchOf([queuedListener({ orgId: 'globex' })], 2, 'theirs'), 900);
      const { deliveries } = await queue().lease(leaseRequest({ limit: 2 }));
      await queue().record(
        deliveries.map((each, index) => (index ? failed(each, 9_000) : succeeded(each))),
        1_000,
      );

      expect(await forgetAll('acme')).to.be.at.least(12);
      expect((await queue().deliveries({ orgId: 'acme' })).deliveries).to.deep.equal([]);
      const known = { after: -1n, upTo: 100n, limit: 10 };
      expect(await queue().events({ orgId: 'acme', ...known })).to.deep.equal([]);
      expect(await daysOf(queue(), { orgId: 'acme', ...wholeYear })).to.deep.equal([]);
      for (const { listenerId } of ours)
        expect(
          await queue().statistics({ by: 'half hour', orgId: 'acme', listenerId, from: 0, to: 3_600_000 }),
        ).to.deep.equal([]);
      expect((await queue().forget({ of: 'halfHours', before: 3_600_000, limit: 10 })).forgotten).to.equal(0);
      expect(await queue().events({ orgId: 'acme', beginning: '', limit: 10 })).to.deep.equal([]);

      expect((await queue().deliveries({ orgId: 'globex' })).deliveries).to.have.length(2);
      expect(await queue().events({ orgId: 'globex', ...known })).to.have.length(2);
      expect(await queue().counts(1_000)).to.include({ waiting: 2, held: 0, succeeded: 0, exhausted: 0, cancelled: 0 });
    });

    it('changes nothing when it is repeated, or for an unknown organisation', async () => {
      await queue().enqueue(batchOf([queuedListener()], 2), 900);
      expect(await forgetAll('acme')).to.be.at.least(4);
      expect(await forgetAll('acme')).to.equal(0);
      expect(await forgetAll('unknown')).to.equal(0);
    });

    it('leaves the gates of its listeners closed', async () => {
      const listener = queuedListener();
      const batch = batchOf([listener]);
      await queue().enqueue(batch, 900);
      await forgetAll('acme');
      await reopen();
      expect(await queue().closedGates([listener.listenerId])).to.deep.equal(new Set([listener.listenerId]));
      await queue().enqueue(batch, 1_000);
      expect((await queue().lease(leaseRequest())).deliveries).to.deep.equal([]);
    });

    it('ignores a later outcome', async () => {
      await queue().enqueue(batchOf([queuedListener()]), 900);
      const delivery = await leaseOne();
      await forgetAll('acme');
      expect((await queue().record([failed(delivery, 9_000)], 1_000)).troubled).to.deep.equal([]);
      expect((await queue().deliveries({ orgId: 'acme' })).deliveries).to.deep.equal([]);
      expect(await queue().counts(1_000)).to.include({ waiting: 0, exhausted: 0 });
    });

    it('lets it come back as a new one', async () => {
      await queue().enqueue(batchOf([queuedListener()]), 900);
      await forgetAll('acme');
      const listener = queuedListener({ position: 9n });
      expect(await queue().enqueue(batchOf([listener]), 1_000)).to.deep.equal({ added: 1 });
      expect(await leaseOne()).to.include({ orgId: 'acme', listenerId: listener.listenerId });
    });
  });
}
