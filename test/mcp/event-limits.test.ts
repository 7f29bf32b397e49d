import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { z } from 'zod';
import type { Administrator } from '../../src/access/identity/caller.js';
import { declareEventTypeRoute } from '../../src/admin/api/contracts/event-types.js';
import { readFeedRoute } from '../../src/admin/api/contracts/feed.js';
import { activateTaskRoute, registerTaskRoute } from '../../src/admin/api/contracts/tasks.js';
import type { AdminApi } from '../../src/admin/api/routing/admin-api.js';
import type { Caller } from '../../src/admin/api/routing/admin-route.js';
import type { Context } from '../../src/http/context.js';
import { limiter } from '../../src/http/limits/limiter.js';
import { requestLimits } from '../../src/http/limits/request-limits.js';
import { mcpRoutes } from '../../src/mcp/mcp.js';
import { type GivenOperations, givenOperations } from '../support/admin/given-operations.js';
import { type AgentHost, startAgentHost } from '../support/mcp/agent-host.js';
import { givenWebhooks } from '../support/mcp/given-webhooks.js';
import { rejection } from '../support/rejection.js';
import { type Served, serveRoutes } from '../support/service/serve-routes.js';

const ada: Caller = { actor: 'admin:ada', role: 'owner', orgId: null };
const member = (orgId: string): Administrator => ({
  actor: 'user:ada',
  member: { orgId, scopes: ['listeners'], clientId: 'agent', sessionId: '0b3d3c4e-54a5-4a3b-8f3e-0f7d54a6a1c2' },
});
const apiKey = (apiKeyId: string, orgId: string): Administrator => ({
  actor: `api-key:${apiKeyId}`,
  apiKey: { apiKeyId, orgId, scopes: ['listeners:write', 'flows:read'] },
});

describe('the limits of events', function () {
  this.timeout(60_000);
  let given: GivenOperations;
  let host: AgentHost;
  let client: Client;
  let served: Served | undefined;
  let webhooks: ReturnType<typeof givenWebhooks>;
  const stopping = new AbortController();
  let orgId = '';
  let tests = 0;

  before(async () => {
    given = await givenOperations();
    webhooks = givenWebhooks(given);
    const type = { description: 'An order was paid', schema: { type: 'object' }, searchable: ['data.number'] };
    await given.api.call(declareEventTypeRoute, { body: { name: 'order.paid', ...type } }, ada);
  });
  beforeEach(async () => {
    tests += 1;
    orgId = `org-${tests}`;
    host = await startAgentHost();
    await given.api.call(registerTaskRoute, { body: { orgId, name: 'own' } }, ada);
    await given.api.call(activateTaskRoute, { body: { orgId } }, ada);
  });
  afterEach(async () => {
    await client.close();
    await host.close();
    await served?.close();
  });
  after(async () => {
    stopping.abort();
    await webhooks.stop();
    await given.stop();
  });

  async function connect(
    administrator: Administrator,
    limits: Parameters<typeof requestLimits>[0],
    api: AdminApi = given.api,
  ): Promise<void> {
    const settings = { http: { publicUrl: undefined }, mcp: { eventNumbering: 'sketch' as const } };
    const identity = { administrator: async (_: Context) => administrator };
    served = await serveRoutes(
      mcpRoutes(settings, {
        api,
        webhooks,
        identity,
        limits: requestLimits(limits),
        stopping: stopping.signal,
      }),
    );
    client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${served.origin}/mcp`)));
  }
  const request = (method: string, params: Record<string, unknown>) =>
    client.request({ method, params }, z.looseObject({}));
  const subscription = (number: number) => ({
    name: 'order.paid',
    arguments: { 'data.number': number },
    delivery: { mode: 'webhook', url: host.url, secret: host.secret },
  });
  const subscribe = (number = 0) => request('events/subscribe', subscription(number));
  const unsubscribe = (number = 0) => request('events/unsubscribe', subscription(number));
  const refusalOf = async (refused: Promise<unknown>) => {
    const { code, data } = (await rejection(refused)) as { code?: number; data?: object };
    return [code, data];
  };
  const limitOf = (name: string, count: number) => limiter(name, { count, windowMs: 60_000 });
  const exhausted = (limit: string, max: number) => [-32_013, { limit, max }];

  it('count each list, subscribe, refresh and unsubscribe of a member as a request of its organisation', async () => {
    await connect(member(orgId), { organisation: limitOf('organisation', 5) }); // one connects
    await request('events/list', {});
    await subscribe();
    await subscribe();
    await unsubscribe();
    for (const refused of [() => request('events/list', {}), subscribe, unsubscribe])
      expect(await refusalOf(refused())).to.eql(exhausted('organisation', 5));
  });

  it('count those of an API key', async () => {
    await connect(apiKey(orgId, orgId), { apiKey: limitOf('api-key', 3) });
    await subscribe();
    await unsubscribe();
    expect(await refusalOf(subscribe())).to.eql(exhausted('api-key', 3));
  });

  it('count what is refused before it reads events, or calls the route of a tool', async () => {
    const refusals = [
      () => request('events/poll', { name: 'order.lost' }),
      () => request('events/poll', { name: 'order.paid', arguments: { 'data.other': 1 } }),
      () => client.callTool({ name: 'get_listener', arguments: { wrong: 1 } }),
    ];
    for (const refused of refusals) {
      orgId = `${orgId}-next`;
      await client?.close();
      await served?.close();
      await connect(member(orgId), { organisation: limitOf('organisation', 2) });
      await refused().catch(() => undefined);
      expect(await refusalOf(request('events/list', {}))).to.eql(exhausted('organisation', 2));
    }
  });

  it('count each other message, also those of a batch', async () => {
    await connect(member(orgId), { organisation: limitOf('organisation', 4) });
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const post = (messages: readonly object[]) =>
      fetch(`${served?.origin}/mcp`, {
        method: 'POST',
        body: JSON.stringify(messages),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-03-26',
        },
      });
    const listed = await post([list, { ...list, id: 2 }]);
    expect(listed.status).to.equal(200);
    expect(await listed.text()).to.contain('list_listeners');
    expect((await post([list, { ...list, id: 2 }])).status).to.equal(429);
    expect((await post(Array.from({ length: 11 }, (_, id) => ({ ...list, id })))).status).to.equal(400);
  });

  it('count beginnings and ends as changes of the organisation, and refreshes not', async () => {
    await connect(member(orgId), { changes: limitOf('changes', 3) });
    await subscribe(0);
    await subscribe(1);
    for (const number of [0, 1, 0, 1]) await subscribe(number);
    await unsubscribe(1);
    const refused = { ...subscription(2), delivery: { ...subscription(2).delivery, url: `${host.url}?another` } };
    expect(await refusalOf(request('events/subscribe', refused))).to.eql(exhausted('changes', 3));
    expect(host.verifications).to.have.length(1);
    expect(await refusalOf(unsubscribe(0))).to.eql(exhausted('changes', 3));
    expect(await subscribe(0), 'a refresh').to.have.property('id');
  });

  it('look for missed events only once the callback is verified', async () => {
    const pages: unknown[] = [];
    const api: AdminApi = {
      call(route, sent, caller) {
        if (route.path === readFeedRoute.path) pages.push((sent as { query: { limit?: string } }).query.limit);
        return given.api.call(route, sent, caller);
      },
    };
    await connect(member(orgId), {}, api);
    const { cursor } = await subscribe();
    await unsubscribe();
    pages.length = 0;
    host.answerChallenges(() => '');
    const back = { ...subscription(0), cursor };
    const elsewhere = { ...back, delivery: { ...back.delivery, url: `${host.url}?another` } };
    expect((await refusalOf(request('events/subscribe', elsewhere)))[0]).to.equal(-32_015);
    expect(pages).to.eql(['1']); // the cursor alone
    await request('events/subscribe', back); // whose callback was verified before
    expect(pages).to.include('1000');
  });
});
