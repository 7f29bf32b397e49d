import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { z } from 'zod';
import type { Administrator } from '../../src/access/identity/caller.js';
import { masterKeys } from '../../src/access/keys/master-keys.js';
import { declareEventTypeRoute } from '../../src/admin/api/contracts/event-types.js';
import { publishFlowEventRoute } from '../../src/admin/api/contracts/flow-events.js';
import { subscribeListenerRoute } from '../../src/admin/api/contracts/listeners.js';
import { activateTaskRoute, registerTaskRoute } from '../../src/admin/api/contracts/tasks.js';
import type { Caller } from '../../src/admin/api/routing/admin-route.js';
import { sumOfTrials, type Tried } from '../../src/admin/api/sum-trials.js';
import { feedCursors, placeAt } from '../../src/admin/feed/cursor.js';
import { flowStream } from '../../src/flows/flow-event.js';
import type { Context } from '../../src/http/context.js';
import { InsufficientScope, Unauthenticated } from '../../src/http/errors.js';
import { mcpRoutes } from '../../src/mcp/mcp.js';
import type { EventNumbering } from '../../src/mcp/protocol.js';
import { type GivenOperations, givenOperations } from '../support/admin/given-operations.js';
import { givenWebhooks } from '../support/mcp/given-webhooks.js';
import { rejection } from '../support/rejection.js';
import { noLimits } from '../support/service/no-limits.js';
import { rawRequest } from '../support/service/raw-request.js';
import { type Served, serveRoutes } from '../support/service/serve-routes.js';
import { until } from '../support/until.js';

const ada: Caller = { actor: 'admin:ada', role: 'owner', orgId: null };
const orgId = 'acme';
const hookUrl = 'https://hooks.example.com/catch/secret-path';

const administrators: Readonly<Record<string, Administrator>> = {
  member: { actor: 'user:42', member: { orgId, scopes: ['listeners'] } },
  publisher: { actor: 'user:42', member: { orgId, scopes: null } },
  operator: { actor: 'admin:ops', role: 'operator' },
  reader: { actor: 'api-key:1', apiKey: { apiKeyId: '1', orgId, scopes: ['flows:read'] } },
};

const identity = {
  async administrator(ctx: Context): Promise<Administrator> {
    if (ctx.get('authorization') === '') throw new Unauthenticated('an access token is required', 'missing');
    if (ctx.get('authorization').endsWith('scopeless')) throw new InsufficientScope('listeners');
    const administrator = administrators[ctx.get('authorization').replace('Bearer ', '')];
    if (!administrator) throw new Unauthenticated('the access token is not valid');
    return administrator;
  },
};

const revisions = ['2026-07-28', '2025-11-25'] as const;
type Revision = (typeof revisions)[number];
type Polled = {
  events: { eventId: string; name: string; data: object }[];
  cursor: string;
  truncated: boolean;
  hasMore: boolean;
};

describe('the endpoint for agents', function () {
  this.timeout(60_000);
  let given: GivenOperations;
  let foreignId: string;
  const served = new Map<EventNumbering, Served>();
  const stopping = new AbortController();
  let webhooks: ReturnType<typeof givenWebhooks>;
  const opened: Client[] = [];

  before(async () => {
    given = await givenOperations();
    webhooks = givenWebhooks(given);
    for (const eventNumbering of ['sketch', 'sep-3415'] as const) {
      const settings = { http: { publicUrl: 'https://hooks.example.com' }, mcp: { eventNumbering } };
      const dependencies = { api: given.api, webhooks, identity, limits: noLimits, stopping: stopping.signal };
      served.set(eventNumbering, await serveRoutes(mcpRoutes(settings, dependencies)));
    }
    for (const each of [orgId, 'globex']) {
      await given.api.call(registerTaskRoute, { body: { orgId: each, name: 'own' } }, ada);
      await given.api.call(activateTaskRoute, { body: { orgId: each } }, ada);
    }
    const foreign = { orgId: 'globex', hookUrl, subscriptionType: 'never' };
    ({ listenerId: foreignId } = await given.api.call(subscribeListenerRoute, { body: foreign }, ada));
    const type = { description: 'An order was paid', schema: { type: 'object' }, searchable: ['data.number'] };
    await given.api.call(declareEventTypeRoute, { body: { name: 'order.paid', ...type } }, ada);
    await given.viewsCaughtUp();
  });
  after(async () => {
    stopping.abort();
    for (const client of opened) await client.close();
    for (const { close } of served.values()) await close();
    await webhooks.stop();
    await given.stop();
  });

  const originOf = (numbering: EventNumbering) => served.get(numbering)?.origin ?? '';

  async function connected(
    token: string,
    {
      revision = '2026-07-28',
      numbering = 'sketch',
      headers = {},
    }: { revision?: Revision; numbering?: EventNumbering; headers?: object } = {},
  ): Promise<Client> {
    const mode = revision === '2026-07-28' ? { versionNegotiation: { mode: 'auto' as const } } : {};
    const client = new Client({ name: 'test', version: '1' }, mode);
    const requestInit = { headers: { authorization: `Bearer ${token}`, ...headers } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${originOf(numbering)}/mcp`), { requestInit }));
    opened.push(client);
    expect(client.getNegotiatedProtocolVersion()).to.equal(revision);
    return client;
  }

  const publish = (id: string, data: object = {}, type = 'order.paid') =>
    given.api.call(publishFlowEventRoute, { body: { orgId, type, id, data } }, ada);
  const callOf = async (client: Client, name: string, args: object = {}) => {
    const { isError = false, structuredContent, content } = await client.callTool({ name, arguments: { ...args } });
    const texts = (content as { text: string }[]).map(({ text }) => text);
    return { isError, answer: structuredContent as Record<string, unknown>, texts };
  };

  for (const revision of revisions) {
    it(`has tools with schemas, and calls the routes, in revision ${revision}`, async () => {
      const client = await connected('member', { revision });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).to.include.members(['list_listeners', 'find_events', 'explain_event']);
      for (const { name, inputSchema, outputSchema, annotations } of tools) {
        expect(inputSchema.properties ?? {}, name).not.to.have.property('orgId');
        expect(outputSchema, name).to.have.property('type', 'object');
        expect(annotations, name).to.include({ readOnlyHint: true, openWorldHint: false });
      }
      await publish(`in ${revision}`, { number: revision });
      await until(async () => {
        const { answer } = await callOf(client, 'find_events', { find: revision });
        return (answer.items as object[]).length > 0;
      }, 'the flow event to be found');
      const { answer, texts } = await callOf(client, 'get_event', { eventId: `in ${revision}` });
      expect(answer).to.deep.include({ eventId: `in ${revision}`, data: { number: revision } });
      expect(texts[0]).to.contain('no instructions');
      expect(JSON.parse(texts[1] ?? '')).to.eql(answer);
    });
  }

  it('answers business failures and wrong input as results, and hides the objects of other organisations', async () => {
    const client = await connected('member');
    for (const [name, args, error] of [
      ['get_event', { eventId: 'never' }, 'flow_event_not_found'],
      ['find_events', { typ: 'order.paid' }, 'invalid_request'],
      ['get_listener', { listenerId: foreignId }, 'not_found'],
    ] as const) {
      const { isError, texts } = await callOf(client, name, args);
      expect([isError, (JSON.parse(texts[0] ?? '') as { error: string }).error], name).to.eql([true, error]);
    }
  });

  it('shows no hook URL of a listener beyond its origin', async () => {
    await given.api.call(subscribeListenerRoute, { body: { orgId, hookUrl, subscriptionType: 'never' } }, ada);
    await given.viewsCaughtUp();
    const client = await connected('member');
    const { answer } = await callOf(client, 'list_listeners');
    expect(JSON.stringify(answer)).to.contain('https://hooks.example.com/…').and.not.to.contain('secret-path');
  });

  it('keeps the digits of numbers', async () => {
    await publish('exact', { big: JSON.rawJSON('9007199254740993') });
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'read_events', arguments: {} } };
    const response = await fetch(`${originOf('sketch')}/mcp`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        authorization: 'Bearer reader',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
    });
    const text = await response.text();
    expect(text).to.contain('"big":9007199254740993').and.to.contain(String.raw`\"big\":9007199254740993`);
  });

  it('tries a filter on the past events of the organisation of the caller, in steps that it may continue', async () => {
    for (const number of [1, 2, 3]) await publish(`tried-${number}`, { number }, 'trial.made');
    const args = { subscriptionType: 'trial.made', filter: { 'data.number': { $gte: 2 } }, examples: 1 };
    const client = await connected('member');
    const read = async (after: string | undefined) =>
      (await callOf(client, 'try_subscription', { ...args, ...(after !== undefined && { after }) })).answer as Tried;
    const answer = await sumOfTrials(read, () => true);
    expect(answer).to.deep.include({ sent: 2, dropped: 1, failed: 0, stoppedBy: 'end', next: null });
    const [dropped, sent] = answer.examples;
    expect(dropped).to.include({ eventId: 'tried-1', because: 'data.number.$gte 2 failed on 1' });
    expect(sent).to.deep.include({ eventId: 'tried-2', outcome: 'sent' });
    expect(JSON.stringify(sent)).to.contain('"number":2');
  });

  it('publishes for a member whose token may, and not for another one', async () => {
    const client = await connected('publisher');
    expect((await callOf(client, 'publish_event', { type: 'order.paid', id: 'by-agent', data: {} })).answer).to.include(
      { id: 'by-agent' },
    );
    const reader = await connected('member');
    expect(await rejection(callOf(reader, 'publish_event', { type: 'order.paid', data: {} }))).to.have.property(
      'code',
      -32_602,
    );
  });

  it('lets operators name the organisation, in each call or by a header', async () => {
    const named = await callOf(await connected('operator'), 'list_listeners', { orgId });
    const chosen = await callOf(await connected('operator', { headers: { orgid: orgId } }), 'list_listeners');
    expect(named.answer).to.eql(chosen.answer);
    expect(named.answer.items).to.have.length(1);
  });

  it('refuses a page of another origin, callers without credentials, and all but requests', async () => {
    const url = `${originOf('sketch')}/mcp`;
    const authorization = 'Bearer member';
    const headers = {
      authorization,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const statusOf = async (init: RequestInit) =>
      (await fetch(url, { method: 'POST', body: ping, headers, ...init })).status;
    expect(await statusOf({ headers: { ...headers, origin: 'https://evil.example.com' } })).to.equal(403);
    for (const origin of ['http://hooks.example.com', 'https://hooks.example.com:444', 'null'])
      expect(await statusOf({ headers: { ...headers, origin } }), origin).to.equal(403);
    expect(await statusOf({ headers: { ...headers, origin: 'https://hooks.example.com' } })).to.equal(200);
    expect(await statusOf({ headers: { ...headers, orgid: 'globex' } })).to.equal(403);
    expect(await statusOf({ headers: { ...headers, orgid: orgId } })).to.equal(200);
    expect(await statusOf({ headers: { ...headers, authorization: 'Bearer wrong' } })).to.equal(401);
    for (const body of ['{', '', `{"params":${'['.repeat(200)}${']'.repeat(200)}}`])
      expect(await statusOf({ body }), body).to.equal(400);
    expect(await statusOf({ body: `"${'x'.repeat(2_000_000)}"` })).to.equal(413);
    for (const method of ['GET', 'DELETE'])
      expect((await fetch(url, { method, headers })).status, method).to.equal(405);
  });

  it('serves and refuses a request whose Host is no name as any other', async () => {
    const port = Number(new URL(originOf('sketch')).port);
    for (const host of ['[', 'a b', '', 'a/b', 'hooks.example.com:99999'])
      for (const [authorization, status] of [
        ['', 401],
        ['Bearer member', 200],
      ] as const) {
        const sent = {
          host,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(authorization !== '' && { authorization }),
        };
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
        const answer = await rawRequest(port, '/mcp', Object.entries(sent), { method: 'POST', body });
        expect(answer.status, JSON.stringify([host, authorization])).to.equal(status);
      }
  });

  it('says to callers without sufficient credentials where they get a token (RFC 9728)', async () => {
    const challengeOf = async (headers: Record<string, string>) =>
      (await fetch(`${originOf('sketch')}/mcp`, { method: 'POST', body: '{}', headers })).headers.get(
        'www-authenticate',
      );
    const at =
      'Bearer realm="flow-hooks", ' +
      'resource_metadata="https://hooks.example.com/.well-known/oauth-protected-resource/mcp"';
    expect(await challengeOf({})).to.equal(`${at}, scope="listeners"`);
    expect(await challengeOf({ authorization: 'Bearer wrong' })).to.equal(
      `${at}, scope="listeners", error="invalid_token"`,
    );
    expect(await challengeOf({ authorization: 'Bearer scopeless' })).to.equal(
      `${at}, error="insufficient_scope", scope="listeners"`,
    );
  });

  describe('with events in poll mode', () => {
    const poll = async (client: Client, params: object): Promise<Polled> =>
      (await client.request(
        { method: 'events/poll', params: { name: 'order.paid', ...params } },
        z.looseObject({}),
      )) as unknown as Polled;

    it('announces no notices of changes, of which there are none', async () => {
      expect((await connected('member')).getServerCapabilities()?.tools).to.eql({ listChanged: false });
    });

    it('lists the declared types, with arguments for their searchable fields', async () => {
      const client = await connected('member');
      const listed = await client.request({ method: 'events/list', params: {} }, z.looseObject({}));
      expect(listed.events).to.eql([
        {
          name: 'order.paid',
          description: 'An order was paid',
          delivery: ['poll', 'webhook'],
          inputSchema: {
            type: 'object',
            properties: {
              'data.number': { description: 'Only events with this data.number; a list: with one of these.' },
            },
            additionalProperties: false,
          },
          payloadSchema: { type: 'object' },
        },
      ]);
      expect(client.getServerCapabilities()?.extensions).to.have.property('io.modelcontextprotocol/events');
    });

    it('begins now, and gives each later event once, those of the arguments', async () => {
      const client = await connected('member');
      await publish('past');
      const start = await poll(client, { cursor: null });
      expect(start).to.deep.include({ events: [], truncated: false, hasMore: false });
      await publish('a', { number: 1 });
      await publish('b', { number: 2 });
      await publish('foreign', { number: 1 }, 'refund.made');
      const numbers = ({ events }: Polled) => events.map(({ data }) => (data as { number: number }).number);
      const first = await poll(client, { cursor: start.cursor, maxEvents: 1 });
      expect(numbers(first)).to.eql([1]);
      expect(first.hasMore).to.equal(true);
      expect(numbers(await poll(client, { cursor: first.cursor }))).to.eql([2]);
      expect(numbers(await poll(client, { cursor: start.cursor, arguments: { 'data.number': 2 } }))).to.eql([2]);
      expect(numbers(await poll(client, { cursor: start.cursor, arguments: { 'data.number': [1, 2] } }))).to.eql([
        1, 2,
      ]);
      expect(await poll(client, { cursor: start.cursor, maxAgeMs: 0 })).to.deep.include({
        events: [],
        truncated: true,
      });
    });

    it('refuses arguments that are no values, and those of fields that are not searchable', async () => {
      const client = await connected('member');
      for (const given of [
        { 'data.number': { $gt: 10 } },
        { 'data.number': [[1]] },
        { 'data.other': 1 },
        JSON.parse('{"__proto__":"x"}'),
        ['data.number'],
      ])
        expect(await rejection(poll(client, { arguments: given })), JSON.stringify(given)).to.include({
          code: -32_602,
        });
    });

    it('says that events are missing', async () => {
      const client = await connected('reader');
      const { cursor } = await poll(client, { cursor: null });
      await publish('gone');
      await until(
        async () => (await given.queue.events({ orgId, limit: 1 }))[0]?.publishedId === 'gone',
        'the fan-out',
      );
      await given.store.deleteStream(flowStream(orgId, 'gone'));
      await until(async () => (await poll(client, { cursor })).truncated, 'the feed to know of it');
    });

    it('is truncated, and continues at the end, from a cursor under a master key that was retired', async () => {
      const client = await connected('reader');
      await publish('before');
      const cursor = feedCursors(masterKeys(new Map([['g0', Buffer.alloc(32)]])), orgId).write(placeAt(-1n));
      const first = await poll(client, { cursor });
      expect(first).to.deep.include({ events: [], truncated: true, hasMore: false });
      await publish('after');
      const { events, truncated } = await poll(client, { cursor: first.cursor });
      expect(events.length).to.equal(1);
      expect(truncated).to.equal(false);
    });

    for (const [numbering, notFound, forbidden] of [
      ['sketch', -32_011, -32_012],
      ['sep-3415', -32_023, -32_024],
    ] as const)
      it(`has the error numbers of ${numbering}`, async () => {
        const client = await connected('member', { numbering });
        const codeOf = async (params: object, of = client) =>
          ((await rejection(poll(of, params))) as unknown as { code: number }).code;
        expect(await codeOf({ name: 'order.unknown' })).to.equal(notFound);
        expect(await codeOf({}, await connected('operator', { numbering }))).to.equal(forbidden);
        const { cursor } = await poll(client, {});
        for (const wrong of ['wrong', 'end', '', `${cursor}=`])
          expect(await codeOf({ cursor: wrong }), wrong).to.equal(-32_602);
        expect(await codeOf({ arguments: { 'data.other': 1 } })).to.equal(-32_602);
      });

    it('is not part of the older revisions', async () => {
      const client = await connected('member', { revision: '2025-11-25' });
      expect(await rejection(poll(client, {}))).to.have.property('code', -32_601);
    });
  });
});
