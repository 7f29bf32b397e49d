import { expect } from 'chai';
import { latestFlowEvents } from '../../../src/deliveries/queries/latest-flow-events.js';
import { readFlowEvent } from '../../../src/flows/flow-event.js';
import { publishFlowEvent } from '../../../src/flows/publish-flow-event.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { emptyBatch } from '../../support/deliveries/delivery-batches.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { turnsDuring } from '../../support/turns-during.js';

const now = new Date('2026-01-02T03:04:05.678Z');
const cause = { actor: 'test', correlationId: 'test' };

describe('the latest flow events of an organisation', () => {
  let store: EventStore;
  let queue: DeliveryQueue;
  let read: number;

  before(async () => {
    const directory = temporaryDirectory();
    store = openSqliteEventStore({ directory });
    queue = openSqliteDeliveryQueue({ directory });
    for (let index = 0; index < 1_000; index += 1) {
      const type = index % 100 === 0 ? 'rare' : 'common';
      const request = { id: `e${index}`, type, data: index, flowId: `f${index}` };
      await publishFlowEvent(store, request, { orgId: 'acme', cause, now, maxBytes: 1_000 });
    }
    const messages = [];
    for await (const recorded of store.readAll({ filter: { categories: ['flow'] } })) {
      const { eventId, orgId, type } = readFlowEvent(recorded);
      messages.push({ eventId, orgId, type, position: recorded.position, body: null, recordedAt: now.getTime() });
      if (recorded.type === 'rare') continue;
      messages.push({
        eventId,
        orgId: 'of another organisation',
        type,
        position: recorded.position,
        body: null,
        recordedAt: now.getTime(),
      });
    }
    await queue.enqueue({ ...emptyBatch, messages }, 1_000);
  });
  after(async () => {
    await queue.close();
    await store.close();
  });

  beforeEach(() => {
    read = 0;
  });

  const latest = async (query: {
    subscriptionType?: string;
    limit?: number;
    maxBytes?: number;
    accepts?: (data: unknown) => boolean;
  }) => {
    const counting: EventStore = {
      ...store,
      readStream: (...args) => {
        read += 1;
        return store.readStream(...args);
      },
    };
    const { subscriptionType = '*', limit = 3, maxBytes = 1_000, accepts = () => true } = query;
    const find = latestFlowEvents({ store: counting, queue });
    const events = await find({
      orgId: 'acme',
      subscriptionType,
      limit,
      maxBytes,
      accepts: ({ data }) => accepts(data),
    });
    return events.map(({ data }) => data);
  };

  it('are in reverse order, and are all that is read', async () => {
    expect(await latest({})).to.deep.equal([999, 998, 997]);
    expect(read).to.equal(3);
  });

  it('are as many as fit into the requested size, at least one, and few more are read', async () => {
    expect(await latest({ limit: 100, maxBytes: 12 })).to.deep.equal([999, 998, 997, 996]);
    expect(await latest({ limit: 100, maxBytes: 1 })).to.deep.equal([999]);
    expect(read).to.be.at.most(20);
  });

  it('are searched for at most one second', async () => {
    let nowMs = 0;
    const find = latestFlowEvents({ store, queue, nowMs: () => nowMs });
    const slow = (data: unknown) => {
      nowMs += 40;
      return data === 1;
    };
    const query = { orgId: 'acme', subscriptionType: '*', limit: 100, maxBytes: 4_000_000 };
    expect(await find({ ...query, accepts: slow })).to.deep.equal([]);
    expect(nowMs).to.be.within(1_000, 1_200);
  });

  it('are those that a subscription type selects', async () => {
    expect(await latest({ subscriptionType: 'rare' })).to.deep.equal([900, 800, 700]);
    expect(await latest({ subscriptionType: 'none' })).to.deep.equal([]);
  });

  it('are those that are accepted, among the latest few hundred', async () => {
    expect(await latest({ accepts: (data) => Number(data) % 50 === 0 })).to.deep.equal([950, 900, 850]);
    expect(read).to.be.below(200);
    read = 0;
    expect(await latest({ accepts: (data) => data === 1 })).to.deep.equal([]);
    expect(read).to.be.within(500, 600);
  });

  it('belong only to the organisation named in the event itself', async () => {
    const find = latestFlowEvents({ store, queue });
    const query = {
      orgId: 'of another organisation',
      subscriptionType: '*',
      limit: 5,
      maxBytes: 1_000,
      accepts: () => true,
    };
    expect(await find(query)).to.deep.equal([]);
  });

  it('leave out deleted events', async () => {
    for await (const { stream, data } of store.readAll({ direction: 'backwards', limit: 2 }))
      if ((data as { data: number }).data !== 998) await store.deleteStream(stream);
    expect(await latest({})).to.deep.equal([998, 997, 996]);
  });

  it('let other work of the thread have its turn after each event whose filters take long', async () => {
    let nowMs = 0;
    const find = latestFlowEvents({ store, queue, nowMs: () => nowMs });
    const query = { orgId: 'acme', subscriptionType: '*', limit: 30, maxBytes: 4_000_000 };
    const accepts = () => {
      nowMs += 30;
      return true;
    };
    expect(await turnsDuring(() => find({ ...query, accepts }))).to.be.at.least(29);
  });
});
