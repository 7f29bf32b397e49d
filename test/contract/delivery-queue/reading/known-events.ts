import { expect } from 'chai';
import { batchOf, emptyBatch, target } from '../../../support/deliveries/delivery-batches.js';
import type { QueueContext } from '../context.js';

export function knownEventsContract({ queue, reopen }: QueueContext): void {
  const late = 2n ** 53n + 1n;
  const message = (eventId: string, position: bigint, orgId = 'acme') => ({
    eventId,
    orgId,
    type: 'flow.completed',
    position,
    body: null,
    recordedAt: 800,
  });
  const known = (eventId: string, position: bigint) => ({
    eventId,
    orgId: 'acme',
    type: 'flow.completed',
    position,
  });

  describe('flow events that have gone by', () => {
    it('are known by their ids, also those that no hook wanted', async () => {
      await queue().enqueue({ ...emptyBatch, messages: [message('one', late)] }, 900);
      await queue().enqueue(batchOf([target()], 1, 'two'), 900);
      await reopen();
      expect(await queue().knownEvent('acme', 'one')).to.deep.equal(known('one', late));
      expect(await queue().knownEvent('acme', 'two-0')).to.deep.equal(known('two-0', 0n));
      expect(await queue().knownEvent('globex', 'one')).to.equal(undefined);
      expect(await queue().knownEvent('acme', 'none')).to.equal(undefined);
    });

    it('are listed in the order of their positions, of one organisation and between two of them', async () => {
      const messages = [message('c', late), message('a', 3n), message('x', 4n, 'globex'), message('b', 5n)];
      await queue().enqueue({ ...emptyBatch, messages }, 900);
      const query = { orgId: 'acme', after: -1n, upTo: late, limit: 10 };
      expect(await queue().knownEvents(query)).to.deep.equal([known('a', 3n), known('b', 5n), known('c', late)]);
      expect(await queue().knownEvents({ ...query, limit: 2 })).to.deep.equal([known('a', 3n), known('b', 5n)]);
      expect(await queue().knownEvents({ ...query, after: 3n, upTo: 5n })).to.deep.equal([known('b', 5n)]);
    });
  });
}
