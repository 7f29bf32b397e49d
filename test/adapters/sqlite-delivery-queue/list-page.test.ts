import { expect } from 'chai';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { batchOf, emptyBatch, queuedListener } from '../../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const unwanted = 5_000;

describe('a page of deliveries on SQLite, where many flow events have none', () => {
  let queue: DeliveryQueue;

  before(async () => {
    queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
    const listener = queuedListener();
    for (const [round, prefix] of ['old', 'new'].entries()) {
      const first = BigInt(round * 2 * unwanted);
      const { messages, ...wanted } = batchOf([listener], 2, prefix);
      const placed = messages.map((message, index) => ({ ...message, position: first + BigInt(index) }));
      await queue.enqueue({ ...wanted, messages: placed }, 900);
      const others = Array.from({ length: unwanted }, (_, index) => ({
        eventId: `${prefix}-unwanted-${index}`,
        orgId: 'acme',
        type: 'flow.completed',
        position: first + BigInt(index + 2),
        body: null,
        recordedAt: 900,
      }));
      await queue.enqueue({ ...emptyBatch, messages: others }, 900);
    }
  });
  after(() => queue.close());

  for (const states of [undefined, ['succeeded', 'waiting']] as const) {
    it(`examines 5,000 of them, and says where to continue (states: ${states ?? 'all'})`, async () => {
      const pages: string[][] = [];
      for (let after: string | undefined = ''; after !== undefined; ) {
        const page = await queue.deliveries({ orgId: 'acme', states, limit: 10, ...(after !== '' && { after }) });
        pages.push(page.deliveries.map(({ eventId }) => eventId));
        after = page.next;
      }
      expect(pages).to.deep.equal([[], ['new-1', 'new-0'], ['old-1', 'old-0']]);
    });
  }

  it('begins before a position, and is whole for one listener or event', async () => {
    const { deliveries, next } = await queue.deliveries({ orgId: 'acme', before: BigInt(unwanted + 2), limit: 10 });
    expect([deliveries.length, next === undefined]).to.deep.equal([0, false]);
    const named = await queue.deliveries({ orgId: 'acme', eventId: 'old-0' });
    expect([named.deliveries.length, named.next]).to.deep.equal([1, undefined]);
  });
});
