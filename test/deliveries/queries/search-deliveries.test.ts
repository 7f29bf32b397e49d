import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { countedDeliveries, searchDeliveries } from '../../../src/deliveries/queries/search-deliveries.js';
import { InvalidRequest } from '../../../src/kernel/domain-error.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { batchOf, failed, leaseRequest, queuedListener } from '../../support/deliveries/delivery-batches.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const minute = 60_000;
const batches = 60;
const eachMinute = 200;

describe('a search of deliveries', () => {
  let queue: DeliveryQueue;
  const listener = queuedListener();

  before(async () => {
    queue = openSqliteDeliveryQueue({ directory: temporaryDirectory() });
    for (let at = 0; at < batches; at += 1) {
      const batch = batchOf([listener], eachMinute, `event-${at}`);
      const messages = batch.messages.map((message, index) => ({
        ...message,
        position: BigInt(at * eachMinute + index),
        recordedAt: at * minute,
      }));
      await queue.enqueue({ ...batch, messages }, at * minute);
    }
  });
  after(() => queue.close());

  it('finds those of a period on the first page, without reading much earlier or later ones', async () => {
    let read = 0;
    const counting: Pick<DeliveryQueue, 'deliveries' | 'events'> = {
      events: queue.events,
      async deliveries(query) {
        const page = await queue.deliveries(query);
        read += page.deliveries.length;
        return page;
      },
    };
    const period = { from: 20 * minute, to: 21 * minute, limit: 1_000 };
    const { deliveries, next } = await searchDeliveries(counting, { orgId: 'acme', ...period });
    expect(deliveries).to.have.length(2 * eachMinute);
    expect(next).to.equal(undefined);
    expect(read).to.be.at.most(25 * eachMinute);
  });

  it('finds those of replays in a period after its own, however old their flow events are', async () => {
    const replay = randomUUID();
    const known = { ...batchOf([listener], eachMinute, 'event-3'), messages: [] };
    const again = known.deliveries.map((each) => ({ ...each, id: randomUUID(), replay }));
    await queue.enqueue({ ...known, deliveries: again }, 40 * minute);
    const period = { orgId: 'acme', from: 40 * minute, to: 40 * minute };
    const page = (limit: number, after?: string) =>
      searchDeliveries(queue, { ...period, limit, ...(after && { after }) }, async () => [replay]);
    const first = await page(eachMinute + 50);
    expect(first.deliveries.filter((each) => each.replay === replay)).to.have.length(50);
    const second = await page(eachMinute, first.next);
    expect(second.deliveries).to.have.length(eachMinute - 50);
    expect(second.next).to.equal(undefined);
    expect(new Set([...first.deliveries, ...second.deliveries].map(({ id }) => id)).size).to.equal(2 * eachMinute);
    expect(await rejection(page(1, `${randomUUID()}/1.1`))).to.be.instanceOf(InvalidRequest);
  });

  it('finds those whose last attempt failed, by its status, its class, or any', async () => {
    const leased = await queue.lease(leaseRequest({ now: 61 * minute, limit: 1 }));
    const report = { startedAt: 61 * minute, durationMs: 5, status: 503, error: 'http_status' };
    const outcomes = leased.deliveries.map((each) => ({ ...failed(each, 90 * minute), report }));
    await queue.record(outcomes, 61 * minute);
    const found = async (error: string) =>
      (await searchDeliveries(queue, { orgId: 'acme', listenerId: listener.listenerId, error, to: 5 * minute }))
        .deliveries.length;
    expect([await found('503'), await found('http_status'), await found('any')]).to.deep.equal([1, 1, 1]);
    expect([await found('500'), await found('timeout')]).to.deep.equal([0, 0]);
    let pages = 0;
    const { events } = queue;
    const deliveries: DeliveryQueue['deliveries'] = (query) => {
      pages += 1;
      return queue.deliveries(query);
    };
    await searchDeliveries({ events, deliveries }, { orgId: 'acme', error: 'timeout', limit: 1 });
    expect(pages, 'pages of a search in vain').to.be.at.most(25);
    const search = { orgId: 'acme', to: 4 * minute, limit: 10 };
    const all = await countedDeliveries(queue, { ...search, order: 'last-attempt' });
    expect(all.deliveries[0]).to.include({ lastAttemptAt: 61 * minute });
    const total = { count: 1_000, isAll: true };
    expect(all).to.deep.include({ total, next: undefined });
    const first = { ...(await searchDeliveries(queue, search)), total };
    expect(await countedDeliveries(queue, search)).to.deep.equal(first);
  });
});
