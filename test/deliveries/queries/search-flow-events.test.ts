import { expect } from 'chai';
import { searchFlowEvents } from '../../../src/deliveries/queries/search-flow-events.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { emptyBatch } from '../../support/deliveries/delivery-batches.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const minute = 60_000;
/** One is recorded each minute; every thousandth is rare. */
const count = 12_000;

describe('a search of flow events', () => {
  let queue: DeliveryQueue;

  before(async () => {
    queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
    const messages = Array.from({ length: count }, (_, index) => ({
      eventId: `event-${index}`,
      orgId: 'acme',
      type: index % 1_000 === 0 ? 'rare.type' : 'flow.completed',
      position: BigInt(index * 100),
      body: null,
      recordedAt: index * minute,
    }));
    await queue.enqueue({ ...emptyBatch, messages }, 900);
  });
  after(() => queue.close());

  const idsOf = (events: readonly { eventId: string }[]) => events.map(({ eventId }) => eventId);

  it('finds the latest first, and goes on after a page', async () => {
    const first = await searchFlowEvents(queue, { orgId: 'acme', limit: 2 });
    expect(idsOf(first.events)).to.deep.equal(['event-11999', 'event-11998']);
    const second = await searchFlowEvents(queue, { orgId: 'acme', limit: 1, after: first.next });
    expect(idsOf(second.events)).to.deep.equal(['event-11997']);
    expect(await searchFlowEvents(queue, { orgId: 'globex' })).to.deep.equal({ events: [], next: undefined });
  });

  for (const type of ['rare.type', 'rare.*']) {
    it(`finds a type that is rare (${type}) by pages of a bounded cost`, async () => {
      const found: string[] = [];
      let pages = 0;
      for (let after: string | undefined = ''; after !== undefined; pages += 1) {
        const { events, next } = await searchFlowEvents(queue, { orgId: 'acme', type, ...(after && { after }) });
        found.push(...idsOf(events));
        after = next;
      }
      expect(found).to.have.length(12);
      expect(found.at(-1)).to.equal('event-0');
      expect(pages).to.be.at.least(3);
    });
  }

  it('finds those of a period, without reading later or earlier ones', async () => {
    const asked: number[] = [];
    const counting: Pick<DeliveryQueue, 'events'> = {
      events: (query) => {
        asked.push('limit' in query ? query.limit : 1);
        return queue.events(query);
      },
    };
    const period = { from: 3_000 * minute, to: 3_002 * minute };
    const { events, next } = await searchFlowEvents(counting, { orgId: 'acme', ...period });
    expect(idsOf(events)).to.deep.equal(['event-3002', 'event-3001', 'event-3000']);
    expect(next).to.equal(undefined);
    expect(asked.reduce((sum, limit) => sum + limit, 0)).to.be.below(700);
  });

  it('goes on in a period after a page', async () => {
    const period = { orgId: 'acme', from: 3_000 * minute, to: 3_002 * minute, limit: 2 };
    const first = await searchFlowEvents(queue, period);
    const second = await searchFlowEvents(queue, { ...period, after: first.next });
    expect(idsOf([...first.events, ...second.events])).to.deep.equal(['event-3002', 'event-3001', 'event-3000']);
  });

  it('finds those with a term, the latest first, page by page, else those with the beginning of one', async () => {
    const message = (eventId: string, position: number, terms: readonly string[]) => ({
      ...{ eventId, orgId: 'found', position: BigInt(position), terms },
      ...{ type: 'order.paid', body: null, recordedAt: position * minute },
    });
    const messages = [
      ...Array.from({ length: 5 }, (_, index) => message(`flow-${index}`, index, [`flow-${index}`, 'checkout'])),
      message('order-4711', 7, ['order-4711', 'ada@example.com']),
      message('order-47110', 8, ['order-47110']),
    ];
    await queue.enqueue({ ...emptyBatch, messages }, 900);
    const found = async (find: string, query: object = {}) =>
      idsOf((await searchFlowEvents(queue, { orgId: 'found', find, ...query })).events);
    expect(await found('order-4711')).to.deep.equal(['order-4711']);
    expect(await found('order-47')).to.deep.equal(['order-47110', 'order-4711']);
    expect(await found('ada@')).to.deep.equal(['order-4711']);
    expect(await found('ada@', { type: 'flow.*' })).to.deep.equal([]);
    expect(await found('order-4712')).to.deep.equal([]);
    const first = await searchFlowEvents(queue, { orgId: 'found', find: 'checkout', limit: 3 });
    expect(idsOf(first.events)).to.deep.equal(['flow-4', 'flow-3', 'flow-2']);
    expect(await found('checkout', { after: first.next })).to.deep.equal(['flow-1', 'flow-0']);
  });

  it('refuses a period that ends before it begins, and what is no place in the list', async () => {
    for (const wrong of [{ from: 2, to: 1 }, { after: 'nowhere' }]) {
      const error = await rejection(searchFlowEvents(queue, { orgId: 'acme', ...wrong }));
      expect(error).to.have.property('code', 'invalid_request');
    }
  });
});
