import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { batchAnswer } from '../../../src/flows/contract.js';
import { readFlowEvent } from '../../../src/flows/flow-event.js';
import { operateEventType } from '../../../src/flows/types/operate-event-types.js';
import { limiter } from '../../../src/http/limits/limiter.js';
import { requestLimits } from '../../../src/http/limits/request-limits.js';
import { changeOrganisationSettings } from '../../../src/listeners/organisation-settings.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { noLimits } from '../../support/service/no-limits.js';
import type { Served } from '../../support/service/serve-routes.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { servePublishing } from './serve-publishing.js';

const own = { orgid: 'org-1', userid: 'user-1' };
const lines = { 'content-type': 'application/x-ndjson' };
const event = (id: string, fields: Record<string, unknown> = {}) => ({
  type: 'flow.completed',
  data: {},
  id,
  ...fields,
});
const events = (count: number) => Array.from({ length: count }, (_, index) => event(`e${index}`));

describe('POST /api/flows/batch', () => {
  let directory: string;
  let store: EventStore;
  let syncs: number;
  let paced: number[];
  let served: Served;

  const serve = (limits = noLimits) =>
    servePublishing(store, { limits, pace: async (organisations) => void paced.push(organisations.length) });
  const publish = (body: unknown, headers: Record<string, string> = {}) =>
    served.post('/api/flows/batch', body, { ...own, ...headers });

  async function published() {
    const all = [];
    for await (const each of store.readAll({ filter: { categories: ['flow'] } })) all.push(readFlowEvent(each));
    return all;
  }

  const open = () =>
    openSqliteEventStore({
      directory,
      sync: async () => {
        syncs += 1;
      },
    });

  beforeEach(async () => {
    syncs = 0;
    paced = [];
    directory = temporaryDirectory();
    store = open();
    served = await serve();
  });

  afterEach(async () => {
    await served.close();
    await store.close();
  });

  it('answers 202 with a result for each event, in order, once all are durable', async () => {
    const { status, body } = await publish(events(3));
    expect(status).to.equal(202);
    expect(batchAnswer.parse(body)).to.deep.equal({
      accepted: 3,
      rejected: 0,
      results: ['e0', 'e1', 'e2'].map((id) => ({ id, status: 'accepted' })),
    });
    expect((await published()).map(({ id, orgId }) => [id, orgId])).to.deep.equal(
      ['e0', 'e1', 'e2'].map((id) => [id, 'org-1']),
    );
  });

  it('records a thousand events with one sync', async () => {
    await publish(event('before'));
    const before = syncs;
    expect((await publish(events(1_000))).body).to.include({ accepted: 1_000 });
    expect(syncs - before).to.equal(1);
    expect(await published()).to.have.length(1_000);
  });

  it('records nothing of a batch if the disk fails in its middle', async () => {
    const database = new Database(join(directory, 'events.db'));
    database.exec(`CREATE TRIGGER full BEFORE INSERT ON events WHEN NEW.type = 'last'
                   BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`);
    expect((await publish([...events(10), event('e10', { type: 'last' })])).status).to.be.within(500, 503);
    expect(await published()).to.have.length(0);
    database.exec('DROP TRIGGER full');
    database.close();
    expect((await publish([...events(10), event('e10', { type: 'last' })])).status).to.equal(202);
    expect(await published()).to.have.length(11);
  });

  it('records each event once where a batch is repeated, and where a part of it was recorded', async () => {
    await publish(events(20).filter((_, index) => index % 2 === 0));
    for (let repeat = 0; repeat < 2; repeat += 1) expect((await publish(events(20))).body).to.include({ accepted: 20 });
    expect(await published()).to.have.length(20);
  });

  it('records the first of the events with the same id in a batch, and accepts all', async () => {
    const { body } = await publish([event('e1', { data: 1 }), event('e1', { data: 2, flowId: 'other' }), event('e2')]);
    expect(body).to.include({ accepted: 3 });
    expect((await published()).map(({ id, data }) => [id, data])).to.deep.equal([
      ['e1', 1],
      ['e2', {}],
    ]);
  });

  it('generates ids, and continues flows in the order of the batch', async () => {
    const { id: _, ...anonymous } = event('');
    await publish([event('a', { flowId: 'f' })]);
    const { results } = batchAnswer.parse((await publish([anonymous, event('f'), event('b', { flowId: 'f' })])).body);
    const all = await published();
    expect(all.map(({ id }) => id)).to.deep.equal(['a', results[0]?.id, 'f', 'b']);
    expect(all.map(({ flowId }) => flowId)).to.deep.equal(['f', results[0]?.id, 'f', 'f']);
  });

  it('rejects invalid events one by one, and accepts the others', async () => {
    const { status, body } = await publish([
      event('e1'),
      event('e2', { type: 'flow.*' }),
      event('e3', { data: 'x'.repeat(3_000) }),
      event('e4', { orgId: 'org-2' }),
      'no event',
      { id: 7 },
      event('e5'),
    ]);
    expect(status).to.equal(202);
    const { accepted, rejected, results } = batchAnswer.parse(body);
    expect({ accepted, rejected }).to.deep.equal({ accepted: 2, rejected: 5 });
    expect(results.map((each) => ('error' in each ? [each.id, each.error] : each.id))).to.deep.equal([
      'e1',
      ['e2', 'invalid_request'],
      ['e3', 'payload_too_large'],
      ['e4', 'forbidden'],
      [undefined, 'invalid_request'],
      [undefined, 'invalid_request'],
      'e5',
    ]);
    expect(results[1])
      .to.have.property('message')
      .that.matches(/^type: must be/);
    expect((await published()).map(({ id }) => id)).to.deep.equal(['e1', 'e5']);
  });

  it('warns of events that do not match their declared type, or rejects them, as the organisation has set', async () => {
    const context = { cause: { actor: 'test', correlationId: 'test' }, now: new Date() };
    const schema = { type: 'object', properties: { total: { type: 'number' } } };
    const type = { name: 'order.paid', description: 'An order was paid', schema };
    await operateEventType(store, { change: 'declare', ...type }, context);
    const sent = (id: string) => [
      event(`${id}-valid`, { type: 'order.paid' }),
      event(`${id}-other`, { type: 'order.paid', data: { total: '7' } }),
    ];
    const warning = 'data.total: must be number (event type order.paid, version 1)';
    for (const [orgId, eventTypeCheck, result] of [
      ['org-warn', 'warn', { status: 'accepted', warning }],
      ['org-refuse', 'refuse', { status: 'rejected', error: 'event_type_mismatch', message: warning }],
    ] as const) {
      await changeOrganisationSettings(store, { orgId, eventTypeCheck }, context);
      expect(batchAnswer.parse((await publish(sent(orgId), { orgid: orgId })).body).results).to.deep.equal([
        { id: `${orgId}-valid`, status: 'accepted' },
        { id: `${orgId}-other`, ...result },
      ]);
    }
  });

  it('rejects an event without organisation from a caller who may publish for any', async () => {
    const { body } = await publish([event('e1'), event('e2', { orgId: 'org-2' })], { orgid: '' });
    expect(batchAnswer.parse(body).results.map(({ status }) => status)).to.deep.equal(['rejected', 'accepted']);
  });

  it('takes a line of JSON for each event, and rejects a bad line with its number', async () => {
    const body = `${JSON.stringify(event('e1'))}\r\n\n{"type":\n${JSON.stringify(event('e2', { type: '' }))}\n${JSON.stringify(event('e3'))}\n`;
    const answer = await publish(body, lines);
    expect(answer.status).to.equal(202);
    expect(batchAnswer.parse(answer.body).results).to.deep.equal([
      { id: 'e1', line: 1, status: 'accepted' },
      { line: 3, status: 'rejected', error: 'invalid_request', message: 'line 3 is not valid JSON' },
      {
        id: 'e2',
        line: 4,
        status: 'rejected',
        error: 'invalid_request',
        message: 'type: must be 1 to 128 letters, digits or . _ : / -',
      },
      { id: 'e3', line: 5, status: 'accepted' },
    ]);
    expect(await published()).to.have.length(2);
  });

  it('accepts a batch without events', async () => {
    for (const answer of [await publish([]), await publish('\n', lines)])
      expect(answer).to.deep.equal({ status: 202, body: { accepted: 0, rejected: 0, results: [] } });
  });

  for (const [what, body, headers, message] of [
    ['malformed JSON', '[{}', {}, 'the body is not valid JSON'],
    ['an object', '{}', {}, 'send a JSON array of events'],
    ['nothing', '', {}, 'the body is empty'],
    [
      'another type',
      'a=b',
      { 'content-type': 'text/csv' },
      'send a batch as application/json (an array), application/x-ndjson or application/cloudevents-batch+json',
    ],
  ] as const) {
    it(`answers 400 to ${what}`, async () => {
      const answer = await publish(body, headers);
      expect([answer.status, answer.body.message]).to.deep.equal([400, message]);
    });
  }

  it('answers 401 before 400', async () => {
    expect((await publish('[{}', { authorization: 'Bearer unknown' })).status).to.equal(401);
  });

  it('answers 413 above 1,000 events, and above 4 MiB, and records nothing', async () => {
    const tooMany = await publish(events(1_001));
    expect([tooMany.status, tooMany.body.message]).to.deep.equal([
      413,
      'the batch has 1001 events, over the limit of 1000',
    ]);
    expect(
      (
        await publish(
          events(1_001)
            .map((each) => JSON.stringify(each))
            .join('\n'),
          lines,
        )
      ).status,
    ).to.equal(413);
    expect((await publish(`[${' '.repeat(4 * 1_048_576)}]`)).status).to.equal(413);
    expect((await publish(`${' '.repeat(4 * 1_048_576 - 2)}[]`)).status).to.equal(202);
    expect(await published()).to.have.length(0);
  });

  it('answers 429 if an organisation exceeds its limit of events, and counts and records nothing', async () => {
    await served.close();
    served = await serve(requestLimits({ events: limiter('events', { count: 10, windowMs: 60_000 }) }));
    expect((await publish(events(6))).status).to.equal(202);
    const refused = await publish(events(5));
    expect([refused.status, refused.body.error]).to.deep.equal([429, 'too_many_requests']);
    expect((await publish(events(4))).status).to.equal(202);
    expect((await publish(events(11))).status).to.equal(413);
    expect((await publish([event('e1', { type: '' })])).body).to.include({ rejected: 1 });
  });

  it('waits for the publishing pace of all its events', async () => {
    await publish(events(30));
    expect(paced).to.deep.equal([30]);
  });

  it('answers 503 if the store is down', async () => {
    await store.close();
    expect((await publish(events(2))).status).to.equal(503);
    store = open();
  });
});
