import { expect } from 'chai';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import type { Served } from '../../support/service/serve-routes.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { servePublishing } from './serve-publishing.js';

const own = { orgid: 'org-1', userid: 'user-1' };
const event = { type: 'flow.completed', data: { ID: null } };
const unset = { ...event, orgId: null, id: null, flowId: null, occurredAt: null };

describe('a published flow event', () => {
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

  const published = async () => {
    const all: unknown[] = [];
    for await (const { data } of store.readAll({ filter: { categories: ['flow'] } })) all.push(data);
    return all as { orgId: string; data: unknown; flowId?: string }[];
  };

  it('may have null for what serialisers do not set', async () => {
    expect((await served.post('/api/flows', unset, own)).status).to.equal(202);
    expect((await served.post('/api/flows/batch', [unset], own)).body).to.include({ accepted: 1, rejected: 0 });
    const lines = { ...own, 'content-type': 'application/x-ndjson' };
    expect((await served.post('/api/flows/batch', JSON.stringify(unset), lines)).body).to.include({ accepted: 1 });
    const all = await published();
    expect(all.map(({ orgId, data }) => ({ orgId, data }))).to.deep.equal(
      Array(3).fill({ orgId: 'org-1', data: { ID: null } }),
    );
    expect(JSON.stringify(all)).to.not.match(/"(id|flowId|occurredAt)":null/);
  });

  it('is refused where the name of a field differs in case', async () => {
    for (const [wrong, right] of [
      ['Id', 'id'],
      ['ID', 'id'],
      ['orgid', 'orgId'],
      ['FlowId', 'flowId'],
      ['occurredat', 'occurredAt'],
      ['Type', 'type'],
    ]) {
      const { status, body } = await served.post('/api/flows', { ...event, [wrong ?? '']: 'x' }, own);
      expect(status).to.equal(400);
      expect(body).to.include({ error: 'invalid_request', message: `${wrong}: the name is ${right}` });
      const batch = await served.post('/api/flows/batch', [{ ...event, [wrong ?? '']: 'x' }], own);
      expect(batch.body).to.include({ accepted: 0, rejected: 1 });
    }
    expect(await published()).to.deep.equal([]);
  });

  it('may have other fields, which are ignored', async () => {
    expect((await served.post('/api/flows', { ...event, source: 'x', identifier: 1 }, own)).status).to.equal(202);
  });
});
