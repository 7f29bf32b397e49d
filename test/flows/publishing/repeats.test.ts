import { expect } from 'chai';
import { batchAnswer, publishAnswer } from '../../../src/flows/contract.js';
import { publishFlowEvent } from '../../../src/flows/publish-flow-event.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import type { Served } from '../../support/service/serve-routes.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { servePublishing } from './serve-publishing.js';

const own = { orgid: 'org-1', userid: 'user-1' };
const event = { id: 'order-1', type: 'order.paid', data: { total: 42, items: [1, { a: null }] } };
const others = {
  data: { ...event, data: { total: 43 } },
  type: { ...event, type: 'order.sent' },
  time: { ...event, occurredAt: '2026-01-02T03:04:05Z' },
  digits: JSON.stringify(event).replace('42', '42.0'),
};
const warning = 'an event with this id was published before with another content, which is kept';

describe('publishing an event again', () => {
  let store: EventStore;
  let served: Served;

  beforeEach(async () => {
    store = openSqliteEventStore({ directory: temporaryDirectory() });
    served = await servePublishing(store);
  });
  afterEach(async () => {
    await served.close();
    await store.close();
  });

  const publish = async (body: unknown) => publishAnswer.parse((await served.post('/api/flows', body, own)).body);
  const publishBatch = async (body: unknown) =>
    batchAnswer.parse((await served.post('/api/flows/batch', body, own)).body).results;

  it('is answered as the first time where it is the same, in any order of its fields', async () => {
    const reordered = { data: { items: [1, { a: null }], total: 42 }, type: 'order.paid', id: 'order-1' };
    for (const each of [event, event, reordered]) expect(await publish(each)).to.deep.equal({ id: 'order-1' });
    expect(await publishBatch([event, reordered])).to.deep.equal(Array(2).fill({ id: 'order-1', status: 'accepted' }));
  });

  for (const [what, other] of Object.entries(others)) {
    it(`is marked in the answer where it differs (${what}), and the first event is kept`, async () => {
      await publish(event);
      expect(await publish(other)).to.deep.equal({ id: 'order-1', differs: true });
      const again = typeof other === 'string' ? other : JSON.stringify(other);
      const batch = `[${again},{"id":"order-2","type":"order.paid","data":1}]`;
      expect(await publishBatch(batch)).to.deep.equal([
        { id: 'order-1', status: 'accepted', differs: true, warning },
        { id: 'order-2', status: 'accepted' },
      ]);
      const { headers } = await fetch(`${served.origin}/api/flows`, {
        method: 'POST',
        headers: { ...own, 'content-type': 'application/json' },
        body: again,
      });
      expect(headers.get('flow-hooks-warning')).to.equal(warning);
      const all: unknown[] = [];
      for await (const { data } of store.readAll({ filter: { categories: ['flow'] } })) all.push(data);
      expect(all[0]).to.have.deep.property('data', event.data);
      expect(all).to.have.length(2);
    });
  }

  it('is marked within a batch', async () => {
    const results = await publishBatch([event, event, others.data]);
    expect(results.map((result) => 'differs' in result && result.differs)).to.deep.equal([false, false, true]);
  });

  it('is marked to operators', async () => {
    const cause = { actor: 'admin:ops', correlationId: 'test' };
    const options = { orgId: 'org-1', cause, now: new Date(), maxBytes: 2_000 };
    expect(await publishFlowEvent(store, event, options)).to.include({ id: 'order-1', differs: false });
    expect(await publishFlowEvent(store, event, { ...options, now: new Date(0) })).to.include({ differs: false });
    expect(await publishFlowEvent(store, others.data, options)).to.include({ id: 'order-1', differs: true });
  });
});
