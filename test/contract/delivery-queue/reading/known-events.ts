import { expect } from 'chai';
import {
  batchOf,
  emptyBatch,
  leaseRequest,
  queuedListener,
  succeeded,
} from '../../../support/deliveries/delivery-batches.js';
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
    recordedAt: 800,
    publishedId: undefined,
  });

  describe('flow events that have gone by', () => {
    it('are known by their ids, also those that no listener wanted', async () => {
      await queue().enqueue({ ...emptyBatch, messages: [message('one', late)] }, 900);
      await queue().enqueue(batchOf([queuedListener()], 1, 'two'), 900);
      await reopen();
      expect((await queue().events({ orgId: 'acme', eventId: 'one' }))[0]).to.deep.equal({
        ...known('one', late),
        body: null,
      });
      expect(await queue().events({ orgId: 'acme', eventId: 'two-0' })).to.have.nested.property('[0].position', 0n);
      expect((await queue().events({ orgId: 'globex', eventId: 'one' }))[0]).to.equal(undefined);
      expect((await queue().events({ orgId: 'acme', eventId: 'none' }))[0]).to.equal(undefined);
    });

    it('have the body that listeners receive, while deliveries need it', async () => {
      const batch = batchOf([queuedListener()], 1, 'one');
      await queue().enqueue({ ...batch, messages: [...batch.messages, message('two', 3n)] }, 900);
      const bodyOf = async (eventId: string) => (await queue().events({ orgId: 'acme', eventId }))[0]?.body;
      expect(await bodyOf('one-0')).to.equal(batch.messages[0]?.body);
      expect(await bodyOf('two')).to.equal(null);
      await queue().record((await queue().lease(leaseRequest())).deliveries.map(succeeded), 1_000);
      await queue().forget({ of: 'deliveries', before: 2_000, limit: 10 });
      expect(await bodyOf('one-0')).to.equal(null);
    });

    it('are listed in the order of their positions, of one organisation and between two of them', async () => {
      const messages = [message('c', late), message('a', 3n), message('x', 4n, 'globex'), message('b', 5n)];
      await queue().enqueue({ ...emptyBatch, messages }, 900);
      const query = { orgId: 'acme', after: -1n, upTo: late, limit: 10 };
      expect(await queue().events(query)).to.deep.equal([known('a', 3n), known('b', 5n), known('c', late)]);
      expect(await queue().events({ ...query, limit: 2 })).to.deep.equal([known('a', 3n), known('b', 5n)]);
      expect(await queue().events({ ...query, after: 3n, upTo: 5n })).to.deep.equal([known('b', 5n)]);
    });

    it('are listed from the latest, with when they were recorded and the ids that their publishers know', async () => {
      const messages = [
        message('c', late),
        message('a', 3n),
        message('x', 4n, 'globex'),
        { ...message('b', 5n), body: '{}', publishedId: 'published-b', recordedAt: undefined },
      ];
      await queue().enqueue({ ...emptyBatch, messages }, 900);
      const [a, b, c] = [
        known('a', 3n),
        { ...known('b', 5n), recordedAt: undefined, publishedId: 'published-b' },
        known('c', late),
      ];
      const query = { orgId: 'acme', limit: 10 };
      expect(await queue().events(query)).to.deep.equal([c, b, a]);
      expect(await queue().events({ ...query, limit: 1 })).to.deep.equal([c]);
      expect(await queue().events({ ...query, before: late })).to.deep.equal([b, a]);
      expect(await queue().events({ ...query, before: 3n })).to.deep.equal([]);
    });

    it('are found by their terms and the beginnings of these, in their organisation, until one of both is forgotten', async () => {
      const found = (eventId: string, position: bigint, terms: readonly string[], orgId = 'acme') => ({
        ...message(eventId, position, orgId),
        terms,
      });
      const messages = [
        found('a', 3n, ['order-1', 'flow']),
        found('b', late, ['order-10', 'order-11', 'flow']),
        found('c', 5n, ['Zürich 🎉', '%_\\u0000"']),
        found('x', 6n, ['order-1', 'flow'], 'globex'),
        found('sample', -1n, ['order-2']),
      ];
      await queue().enqueue({ ...emptyBatch, messages }, 900);
      await queue().enqueue({ ...emptyBatch, messages }, 901); // a repeat changes nothing
      const idsOf = (events: readonly { eventId: string }[]) => events.map(({ eventId }) => eventId);
      const latest = async (term: string, query: object = {}) =>
        idsOf(await queue().events({ orgId: 'acme', term, limit: 10, ...query }));
      const beginning = async (text: string, orgId = 'acme') =>
        idsOf(await queue().events({ orgId, beginning: text, limit: 10 }));
      expect(await latest('flow')).to.deep.equal(['b', 'a']);
      expect(await latest('flow', { before: late })).to.deep.equal(['a']);
      expect(await latest('flow', { limit: 1 })).to.deep.equal(['b']);
      expect(await latest('order-')).to.deep.equal([]);
      expect(await beginning('order-1')).to.have.members(['a', 'b']);
      expect(await beginning('order-11')).to.deep.equal(['b']);
      expect(await beginning('Zürich')).to.deep.equal(['c']);
      expect(await beginning('%_')).to.deep.equal(['c']);
      expect(await beginning('order-2')).to.deep.equal([]);
      await queue().forget({ of: 'terms', orgId: 'acme', eventIds: ['b', 'unknown'] });
      expect(await latest('flow')).to.deep.equal(['a']);
      expect((await queue().events({ orgId: 'acme', eventId: 'b' }))[0]).to.deep.equal({
        ...known('b', late),
        body: null,
      });
      await queue().forget({ of: 'flowEvents', before: 1_000, now: 1_000, limit: 10 });
      expect(await beginning('')).to.deep.equal([]);
      expect(await beginning('', 'globex')).to.deep.equal([]);
    });

    it('are listed without the samples of test deliveries, which are no flow events', async () => {
      await queue().enqueue({ ...emptyBatch, messages: [message('sample', -1n), message('first', 0n)] }, 900);
      const listed = await queue().events({ orgId: 'acme', limit: 10 });
      expect(listed.map(({ eventId }) => eventId)).to.deep.equal(['first']);
    });
  });
}
