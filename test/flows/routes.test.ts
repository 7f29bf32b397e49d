import { expect } from 'chai';
import { eventTypes } from '../../projections/event-types.js';
import { performListAnswer, publishAnswer, subscriptionTypesAnswer } from '../../src/flows/contract.js';
import { readFlowEvent } from '../../src/flows/flow-event.js';
import { flowRoutes } from '../../src/flows/flows.js';
import type { LatestFlowEvents } from '../../src/flows/samples/samples.js';
import type { TransformSample } from '../../src/flows/samples/transform-samples.js';
import { operateEventType } from '../../src/flows/types/operate-event-types.js';
import { type EventTypeMismatched, publishingChecks } from '../../src/flows/types/publishing-checks.js';
import { limiter } from '../../src/http/limits/limiter.js';
import { type RequestLimits, requestLimits } from '../../src/http/limits/request-limits.js';
import { StoreUnavailable } from '../../src/kernel/store-errors.js';
import {
  changeIntegrationTask,
  decideIntegrationTask,
  ensureDefaultTask,
  integrationTaskDecider,
  integrationTaskStream,
} from '../../src/listeners/integration-task.js';
import { changeOrganisationSettings } from '../../src/listeners/organisation-settings.js';
import type { EventStore, Json, RecordedEvent } from '../../src/stores/event-store/event-store.js';
import { handle } from '../../src/stores/event-store/handle.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { buildName } from '../../src/views/projection.js';
import type { ReadModel } from '../../src/views/read-model.js';
import { openSqliteReadModel } from '../../src/views/sqlite/sqlite-read-model.js';
import { headerIdentity } from '../support/service/header-identity.js';
import { noLimits } from '../support/service/no-limits.js';
import { type Served, serveRoutes } from '../support/service/serve-routes.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { applyEvents } from '../support/views/project-events.js';

const cause = { actor: 'test', correlationId: 'test' };
const event = { orgId: 'org-1', type: 'flow.completed', data: { steps: 3 } };

describe('the routes for flow events', () => {
  let store: EventStore;
  let served: Served;
  let latest: LatestFlowEvents;
  let transformSample: TransformSample;
  let readModel: ReadModel;
  let mismatched: EventTypeMismatched[];

  const serve = ({
    subscriptionTypes,
    limits = noLimits,
  }: {
    subscriptionTypes?: readonly string[];
    limits?: RequestLimits;
  } = {}): Promise<Served> =>
    serveRoutes(
      flowRoutes({
        prefix: '/api/hooks',
        store,
        readModel,
        checkPublished: publishingChecks(store, (mismatch) => mismatched.push(mismatch)),
        identity: headerIdentity,
        subscriptionTypes,
        maxEventBytes: 2_000,
        pace: async () => undefined,
        limits,
        latestFlowEvents: async (query) => latest(query),
        transformSample: async (request) => transformSample(request),
      }),
    );
  const publish = (body: unknown = event, headers: Record<string, string> = { orgid: 'org-1', userid: 'user-1' }) =>
    served.post('/api/flows', body, headers);
  const performList = (headers: Record<string, string> = {}) => served.get('/api/hooks/perform-list', headers);

  async function published() {
    const events = [];
    for await (const each of store.readAll({ filter: { categories: ['flow'] } })) events.push(each);
    return events;
  }

  beforeEach(async () => {
    latest = async () => [];
    transformSample = () => expect.fail('nothing is transformed');
    const directory = temporaryDirectory();
    store = openSqliteEventStore({ directory });
    readModel = openSqliteReadModel({ directory });
    mismatched = [];
    served = await serve();
  });

  afterEach(async () => {
    await served.close();
    await readModel.close();
    await store.close();
  });

  describe('POST /api/flows', () => {
    it('answers 202 with the id after the event is durable', async () => {
      const { status, body } = await publish({ ...event, id: 'e1' });
      expect(status).to.equal(202);
      expect(publishAnswer.parse(body)).to.deep.equal({ id: 'e1' });
      expect((await published()).map(readFlowEvent)).to.have.length(1);
    });

    it('answers a repeat with 202 and the same id, and keeps the first', async () => {
      await publish({ ...event, id: 'e1', data: 'first' });
      const repeat = await publish({ ...event, id: 'e1', data: 'second' });
      expect(repeat).to.deep.equal({ status: 202, body: { id: 'e1', differs: true } });
      expect((await published()).map(readFlowEvent).map(({ data }) => data)).to.deep.equal(['first']);
    });

    it("uses the caller's organisation if the body has none", async () => {
      const { orgId: _, ...anonymous } = event;
      expect((await publish(anonymous)).status).to.equal(202);
      expect((await published()).map(readFlowEvent)[0]).to.include({ orgId: 'org-1' });
    });

    it('refuses another organisation with 403', async () => {
      const { status, body } = await publish({ ...event, orgId: 'org-2' });
      expect(status).to.equal(403);
      expect(body.error).to.equal('forbidden');
    });

    it('requires the organisation in the body from a caller who may publish for any', async () => {
      expect((await publish({ ...event, orgId: 'org-2' }, {})).status).to.equal(202);
      const { orgId: _, ...anonymous } = event;
      const { status, body } = await publish(anonymous, {});
      expect(status).to.equal(400);
      expect(body.message).to.match(/orgId/);
    });

    it('records the actor and the request ID', async () => {
      await publish(event, { orgid: 'org-1', userid: 'user-1', 'x-request-id': 'request-1' });
      const [first] = await published();
      expect(first?.metadata).to.include({ actor: 'user:user-1', $correlationId: 'request-1' });
    });

    it('answers 413 to an event over the limit', async () => {
      const { status, body } = await publish({ ...event, data: 'x'.repeat(2_000) });
      expect(status).to.equal(413);
      expect(body.error).to.equal('payload_too_large');
    });

    it('answers 400 with the invalid field to a malformed body, after it has identified the caller', async () => {
      const { status, body } = await publish({ ...event, type: 'flow.*' });
      expect(status).to.equal(400);
      expect(body.message).to.match(/^type: must be/);
      expect((await publish('{', { orgid: 'org-1', authorization: 'Bearer unknown' })).status).to.equal(401);
    });

    it('answers 503 if the store is down', async () => {
      await store.close();
      expect((await publish()).status).to.equal(503);
    });
  });

  describe('POST /api/flows of an organisation that checks event types', () => {
    const context = () => ({ cause, now: new Date() });
    const schema = { type: 'object', required: ['total'], properties: { total: { type: 'number' } } };
    const paid = (data: unknown) => publish({ orgId: 'org-1', type: 'order.paid', data });

    beforeEach(async () => {
      await operateEventType(store, { change: 'declare', name: 'order.paid', description: 'paid', schema }, context());
    });
    const check = (eventTypeCheck: 'off' | 'warn' | 'refuse') =>
      changeOrganisationSettings(store, { orgId: 'org-1', eventTypeCheck }, context());

    it('accepts anything while the check is off, as it is at first', async () => {
      expect((await paid({ total: 'many' })).status).to.equal(202);
      expect(mismatched).to.deep.equal([]);
    });

    it('accepts a mismatch with a warning that names the place, if it only warns', async () => {
      await check('warn');
      const answer = await fetch(`${served.origin}/api/flows`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', orgid: 'org-1', userid: 'user-1' },
        body: JSON.stringify({ type: 'order.paid', data: { total: 'Zürich' } }),
      });
      expect(answer.status).to.equal(202);
      expect(answer.headers.get('flow-hooks-warning')).to.equal(
        'data.total: must be number (event type order.paid, version 1)',
      );
      expect(mismatched).to.deep.equal([
        { orgId: 'org-1', type: 'order.paid', reason: 'data.total: must be number', outcome: 'warned' },
      ]);
    });

    it('refuses a mismatch with 400 and the place, and appends nothing, if it refuses', async () => {
      await check('refuse');
      const { status, body } = await paid({});
      expect(status).to.equal(400);
      expect(body).to.include({
        error: 'event_type_mismatch',
        message: "data: must have required property 'total' (event type order.paid, version 1)",
      });
      expect(await published()).to.deep.equal([]);
      expect((await paid({ total: 1 })).status).to.equal(202);
      expect(mismatched.map(({ outcome }) => outcome)).to.deep.equal(['refused']);
    });

    it('accepts types that are not declared, or were retired', async () => {
      await check('refuse');
      await operateEventType(store, { change: 'retire', name: 'order.paid' }, context());
      expect((await paid({})).status).to.equal(202);
      expect((await publish({ orgId: 'org-1', type: 'order.lost', data: 1 })).status).to.equal(202);
    });
  });

  describe('GET subscription-types', () => {
    const options = async () => {
      const { status, body } = await served.get('/api/hooks/subscription-types');
      expect(status).to.equal(200);
      return subscriptionTypesAnswer.parse(body);
    };
    const all = { id: '*', name: 'All events', description: 'Every flow event.' };
    const paid = { id: 'order.paid', name: 'order.paid', description: 'An order was paid' };

    beforeEach(async () => {
      const context = { cause, now: new Date() };
      const description = 'An order was paid';
      await operateEventType(store, { change: 'declare', name: 'order.paid', description }, context);
      await operateEventType(store, { change: 'declare', name: 'order.lost', description: 'lost' }, context);
      await operateEventType(store, { change: 'retire', name: 'order.lost' }, context);
    });
    async function projected() {
      const build = await readModel.open(eventTypes, buildName(eventTypes, 'run-1'));
      await readModel.flip(eventTypes, build.name);
      const events: RecordedEvent[] = [];
      for await (const each of store.readAll({ filter: { categories: ['eventType'] } })) events.push(each);
      await applyEvents(build, eventTypes, events);
    }

    it('offers all events and each declared type, without authentication', async () => {
      await projected();
      expect(await options()).to.deep.equal([all, paid]);
    });

    it('offers exactly the allowed subscription types, with the descriptions of declared ones', async () => {
      await projected();
      await served.close();
      served = await serve({ subscriptionTypes: ['order.paid', 'order.*'] });
      expect(await options()).to.deep.equal([{ id: 'order.*', name: 'order.*', description: '' }, paid]);
    });

    it('has pages in the order of the names, each with a link to the next one', async () => {
      const names = Array.from({ length: 1_200 }, (_, index) => `type.${String(index).padStart(4, '0')}`);
      const document = (name: string) => ({ name, description: `Number ${name.slice(-4)}`, state: 'declared' });
      readModel = {
        ...readModel,
        find: async (_projection, { limit = 0, after = '' }) =>
          names
            .filter((name) => name > after)
            .slice(0, limit)
            .map((name) => ({ key: name, document: document(name) })),
      };
      await served.close();
      served = await serve();
      const read: string[] = [];
      const sizes: number[] = [];
      for (let query: string | undefined = ''; query !== undefined; ) {
        const answer: Response = await fetch(`${served.origin}/api/hooks/subscription-types${query}`);
        const page = subscriptionTypesAnswer.parse(await answer.json());
        sizes.push(page.length);
        read.push(...page.map(({ id }) => id));
        query = /^<(\?.*)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
      }
      expect(read).to.deep.equal(['*', ...names]);
      expect(sizes).to.deep.equal([1_000, 201]);
      const found = await served.get('/api/hooks/subscription-types?search=NUMBER%20011&limit=4&after=type.0112');
      expect((found.body as unknown as { id: string }[]).map(({ id }) => id)).to.deep.equal([
        'type.0113',
        'type.0114',
        'type.0115',
        'type.0116',
      ]);
      expect((await served.get('/api/hooks/subscription-types?limit=1001')).status).to.equal(400);
    });

    it('reads the types once a second for any number of requests', async () => {
      await projected();
      let read = 0;
      const { find } = readModel;
      readModel = {
        ...readModel,
        find: (...query) => {
          read += 1;
          return find(...query);
        },
      };
      await served.close();
      served = await serve();
      await Promise.all([options(), options(), options()]);
      expect(await options()).to.deep.equal([all, paid]);
      expect(read).to.equal(1);
    });

    it('answers 500 while the view has not been built', async () => {
      const { status, body } = await served.get('/api/hooks/subscription-types');
      expect([status, body.error]).to.deep.equal([500, 'store_unavailable']);
    });
  });

  describe('GET perform-list', () => {
    it('answers 201 with samples of unique ids and the shape of a delivered body', async () => {
      await ensureDefaultTask(store);
      const { status, body } = await performList();
      expect(status).to.equal(201);
      const samples = performListAnswer.parse(body);
      expect(samples).not.to.have.length(0);
      expect(new Set(samples.map(({ id }) => id)).size).to.equal(samples.length);
    });

    it('has a sample for each allowed subscription type that selects one type', async () => {
      await ensureDefaultTask(store);
      await served.close();
      served = await serve({ subscriptionTypes: ['order.paid', 'order.*', '*', 'order.paid', 'order.sent'] });
      const samples = performListAnswer.parse((await performList()).body);
      expect(samples.map(({ type }) => type)).to.deep.equal(['order.paid', 'order.sent']);
    });

    it('ignores an Authorization header', async () => {
      await ensureDefaultTask(store);
      expect((await performList({ authorization: 'Bearer unknown' })).status).to.equal(201);
    });

    const flowEvent = (id: string, data: unknown = {}) => ({
      id,
      eventId: '7f3c1a52-3f0e-5d6a-9b1e-0c4f0a8b7d21',
      orgId: 'org-1',
      flowId: 'flow-1',
      type: 'order.paid',
      timestamp: '2026-01-02T03:04:05Z',
      recordedAt: '2026-01-02T03:04:06Z',
      data: data as Json,
    });
    const own = { orgid: 'org-1' };

    it('answers 429 to a fifth request of an organisation at once, and no other organisation', async () => {
      await ensureDefaultTask(store);
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      latest = async ({ orgId }) => {
        if (orgId === 'org-1') await released;
        return [flowEvent('e1')];
      };
      const requests = Array.from({ length: 5 }, () => performList({ orgid: 'org-1' }));
      expect((await Promise.race(requests)).status).to.equal(429);
      expect((await performList({ orgid: 'org-2' })).status).to.equal(201);
      release();
      const statuses = (await Promise.all(requests)).map(({ status }) => status);
      expect(statuses.sort()).to.deep.equal([201, 201, 201, 201, 429]);
    });

    it('shows numbers digit for digit, also of results that only pass them on as text', async () => {
      await ensureDefaultTask(store);
      latest = async () => [{ ...flowEvent('e1', [9007199254740992, 19.9]), dataText: '[9007199254740993,19.90]' }];
      transformSample = async ({ body }) => ({ kind: 'done', body });
      for (const query of ['', '?transform=%24']) {
        const response = await fetch(`${served.origin}/api/hooks/perform-list${query}`, { headers: own });
        expect(await response.text(), query).to.contain(',"data":[9007199254740993,19.90]}');
      }
    });

    it('answers an identified caller with events of its organisation, and asks for no others', async () => {
      await ensureDefaultTask(store);
      const asked: unknown[] = [];
      latest = async ({ accepts, ...query }) => {
        asked.push(query);
        return [flowEvent('e2'), flowEvent('e1')];
      };
      const { status, body } = await served.get('/api/hooks/perform-list?type=order.*&limit=2', own);
      expect(status).to.equal(201);
      expect(asked).to.deep.equal([{ orgId: 'org-1', subscriptionType: 'order.*', limit: 2, maxBytes: 4_194_304 }]);
      const { eventId, recordedAt, ...delivered } = flowEvent('e2');
      expect(performListAnswer.parse(body)).to.deep.equal([delivered, { ...delivered, id: 'e1' }]);
    });

    it('answers with a sample of the declared type if there is no such event: its example, or data of its schema', async () => {
      await ensureDefaultTask(store);
      const context = { cause, now: new Date() };
      const schema = { type: 'object', properties: { total: { type: 'number' } } };
      const declare = (name: string, fields: object) =>
        operateEventType(store, { change: 'declare', name, description: 'An order', ...fields }, context);
      await declare('order.paid', { schema, example: { total: 42 } });
      await declare('order.sent', { schema });
      await declare('order.any', {});
      const of = async (type: string) =>
        performListAnswer.parse((await served.get(`/api/hooks/perform-list?type=${type}`, own)).body);
      for (const [type, data] of [
        ['order.paid', { total: 42 }],
        ['order.sent', { total: 1 }],
      ] as const)
        expect(await of(type)).to.deep.equal([{ ...(await of('order.any'))[0], id: `sample-${type}`, type, data }]);
      expect((await of('order.any'))[0]?.data).to.have.property('note');
      await operateEventType(store, { change: 'retire', name: 'order.paid' }, context);
      expect((await of('order.paid'))[0]?.data).to.have.property('note');
    });

    it('gives each sample another id, and at most 4 MiB, but at least one sample', async () => {
      await ensureDefaultTask(store);
      const ids = async () => performListAnswer.parse((await performList(own)).body).map(({ id }) => id);
      latest = async () => [flowEvent('same', 1), flowEvent('other'), flowEvent('same', 2)];
      expect(await ids()).to.deep.equal(['same', 'other']);
      const large = 'x'.repeat(1_000_000);
      latest = async () => ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => flowEvent(id, large));
      expect(await ids()).to.deep.equal(['a', 'b', 'c', 'd']);
      latest = async () => [flowEvent('a', large.repeat(5)), flowEvent('b')];
      expect(await ids()).to.deep.equal(['a']);
    });

    const transformed = (expression: string, headers: Record<string, string> = own) =>
      served.get(`/api/hooks/perform-list?type=order.paid&transform=${encodeURIComponent(expression)}`, headers);

    it('transforms each sample of an identified caller, and leaves out those for which the expression fails', async () => {
      await ensureDefaultTask(store);
      latest = async () => [flowEvent('e3'), flowEvent('e2'), flowEvent('e2'), flowEvent('e1')];
      const asked: unknown[] = [];
      transformSample = async ({ body, ...request }) => {
        asked.push(request);
        const { id } = JSON.parse(body) as { id: string };
        return id === 'e2' ? { kind: 'failed', reason: 'no' } : { kind: 'done', body: JSON.stringify({ id }) };
      };
      expect(await transformed('{"id": id}')).to.deep.equal({ status: 201, body: [{ id: 'e3' }, { id: 'e1' }] });
      expect(asked).to.deep.equal(Array(3).fill({ orgId: 'org-1', expression: '{"id": id}' }));
    });

    it('answers 400 with the reason if the expression fails for all samples, and with the place if it cannot be parsed', async () => {
      await ensureDefaultTask(store);
      transformSample = async () => ({ kind: 'failed', reason: 'the operand must be a number' });
      const failed = await transformed('data.total + 1');
      expect([failed.status, failed.body.error, failed.body.message]).to.deep.equal([
        ...[400, 'invalid_request'],
        'transform: it fails for the samples, such as sample-order.paid: the operand must be a number',
      ]);
      const unparsed = await transformed('{"id": id');
      expect(unparsed.status).to.equal(400);
      expect(unparsed.body.message).to.match(/^transform: at character \d+: /);
    });

    it('evaluates nothing for a caller that is not identified, and takes an empty expression for none', async () => {
      await ensureDefaultTask(store);
      latest = async () => [flowEvent('e1')];
      for (const expression of ['{"id": id}', '{"id": id'])
        performListAnswer.parse((await transformed(expression, {})).body);
      expect(performListAnswer.parse((await transformed('')).body)).to.have.length(1);
    });

    it('requires the integration task of the organisation of an identified caller', async () => {
      await ensureDefaultTask(store);
      for (const change of ['register', 'activate', 'deactivate'] as const)
        await changeIntegrationTask(store, { orgId: 'org-1', change }, { cause, now: new Date() });
      expect((await performList(own)).body.error).to.equal('integration_task_inactive');
      expect((await performList()).status).to.equal(201);
    });

    it('counts the requests of an identified caller by organisation', async () => {
      await ensureDefaultTask(store);
      await served.close();
      served = await serve({
        limits: requestLimits({ organisation: limiter('organisation', { count: 1, windowMs: 60_000 }) }),
      });
      latest = async () => [flowEvent('e1')];
      expect((await performList(own)).status).to.equal(201);
      expect((await performList(own)).status).to.equal(429);
      expect((await performList()).status).to.equal(201);
    });

    it('answers 500 if the events cannot be read', async () => {
      await ensureDefaultTask(store);
      latest = () => Promise.reject(new StoreUnavailable('the queue cannot be read'));
      expect((await performList(own)).status).to.equal(500);
    });

    it('answers 500 if the default integration task is missing or inactive', async () => {
      expect(await performList()).to.deep.include({ status: 500 });
      expect((await performList()).body.error).to.equal('integration_task_missing');
      await ensureDefaultTask(store);
      await handle(
        store,
        integrationTaskStream(null),
        integrationTaskDecider,
        (task) => decideIntegrationTask({ change: 'deactivate', orgId: null }, task),
        { cause, now: new Date() },
      );
      expect((await performList()).status).to.equal(500);
      expect((await performList()).body.error).to.equal('integration_task_inactive');
    });

    it('answers 500 if the store is down', async () => {
      await store.close();
      expect((await performList()).status).to.equal(500);
    });
  });
});
