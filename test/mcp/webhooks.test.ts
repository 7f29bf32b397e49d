import { EventEmitter } from 'node:events';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { pino } from 'pino';
import { z } from 'zod';
import { endApiKey, issueApiKey } from '../../src/access/api-keys/api-keys.js';
import { operateClient } from '../../src/access/clients/operate-clients.js';
import { consentIdOf, endConsent, recordConsent } from '../../src/access/consents/consent.js';
import type { Administrator } from '../../src/access/identity/caller.js';
import { sessionDecider, sessionStream } from '../../src/access/tokens/session.js';
import { issueTokens, revokeSession } from '../../src/access/tokens/session-commands.js';
import { showHistoryRoute } from '../../src/admin/api/contracts/audit.js';
import {
  changeEventTypeRoute,
  declareEventTypeRoute,
  retireEventTypeRoute,
} from '../../src/admin/api/contracts/event-types.js';
import { explainFlowEventRoute } from '../../src/admin/api/contracts/explanation.js';
import { readFeedRoute } from '../../src/admin/api/contracts/feed.js';
import { publishFlowEventRoute } from '../../src/admin/api/contracts/flow-events.js';
import { listListenersRoute, unsubscribeListenerRoute } from '../../src/admin/api/contracts/listeners.js';
import { eraseOrganisationRoute } from '../../src/admin/api/contracts/organisations.js';
import { startReplayRoute } from '../../src/admin/api/contracts/replays.js';
import { activateTaskRoute, registerTaskRoute } from '../../src/admin/api/contracts/tasks.js';
import type { AdminApi } from '../../src/admin/api/routing/admin-api.js';
import type { AnyAdminRoute, Caller } from '../../src/admin/api/routing/admin-route.js';
import { startReplayRunner } from '../../src/admin/replays/replay-runner.js';
import { listenerPools } from '../../src/deliveries/posting/listener-pools.js';
import { postThrough } from '../../src/deliveries/posting/post.js';
import { targetGuard } from '../../src/deliveries/target-guard/target-guard.js';
import { flowStream } from '../../src/flows/flow-event.js';
import { openApiDocument } from '../../src/http/api-description/openapi-document.js';
import type { Context } from '../../src/http/context.js';
import { StoreUnavailable } from '../../src/kernel/store-errors.js';
import { uuidV5 } from '../../src/kernel/uuid.js';
import { agentAccessReader } from '../../src/listeners/agents/agent-subscription.js';
import { listenerDecider, listenerStream, requireRegistered } from '../../src/listeners/listener.js';
import { currentListener } from '../../src/listeners/queries/registered-listeners.js';
import { startAgentAccess } from '../../src/mcp/agent-access.js';
import { terminationNotices } from '../../src/mcp/callbacks.js';
import { mcpRoutes } from '../../src/mcp/mcp.js';
import { webhooks as described } from '../../src/service/documentation/webhooks.js';
import { handle } from '../../src/stores/event-store/handle.js';
import { readLast } from '../../src/stores/event-store/read-if-exists.js';
import { soleHolder } from '../../src/stores/leases/sole-holder.js';
import { type GivenOperations, givenOperations } from '../support/admin/given-operations.js';
import { receivedCheck } from '../support/api-description/received-check.js';
import { type AgentHost, startAgentHost } from '../support/mcp/agent-host.js';
import { givenWebhooks } from '../support/mcp/given-webhooks.js';
import { rejection } from '../support/rejection.js';
import { noLimits } from '../support/service/no-limits.js';
import { type Served, serveRoutes } from '../support/service/serve-routes.js';
import { until } from '../support/until.js';

const ada: Caller = { actor: 'admin:ada', role: 'owner', orgId: null };
const orgId = 'acme';

const sessionIdOf = uuidV5('3b8cbb0a-6f0d-4c53-a4c6-0a5d3f6b8e11');
const member = (user: string, of = orgId): Administrator => ({
  actor: `user:${user.split('+')[0]}`, // the rest tells sessions of one user apart
  member: { orgId: of, scopes: ['listeners'], clientId: 'agent', sessionId: sessionIdOf(user) },
});
const administrators: Record<string, Administrator> = {
  reader: { actor: 'api-key:1', apiKey: { apiKeyId: '1', orgId, scopes: ['flows:read'] } },
  operator: { actor: 'admin:ops', role: 'operator' },
};

const service = { version: '1', publicUrl: undefined, development: false };
const checkDescribed = receivedCheck(openApiDocument([], service, described));

type Subscribed = {
  id: string;
  refreshBefore: string;
  cursor: string | null;
  truncated: boolean;
  deliveryStatus?: { active: boolean; lastDeliveryAt: string | null; lastError: string | null };
};

describe('events in webhook mode', function () {
  this.timeout(60_000);
  let given: GivenOperations;
  let webhooks: ReturnType<typeof givenWebhooks>;
  let served: Served;
  let host: AgentHost;
  let user: string;
  /** A route that fails as if its store were down. */
  let failing: AnyAdminRoute | undefined;
  const clients: Client[] = [];
  const stopping = new AbortController();

  before(async () => {
    given = await givenOperations();
    webhooks = givenWebhooks(given, 4);
    const settings = { http: { publicUrl: undefined }, mcp: { eventNumbering: 'sketch' as const } };
    const identity = {
      async administrator(ctx: Context) {
        const token = ctx.get('authorization').replace('Bearer ', '');
        const [user = '', of = orgId] = token.split('@');
        return administrators[token] ?? member(user, of);
      },
    };
    const api: AdminApi = {
      async call(route, request, caller) {
        if (route === failing) throw new StoreUnavailable('the store is down');
        return given.api.call(route, request, caller);
      },
    };
    const dependencies = { api, webhooks, identity, limits: noLimits, stopping: stopping.signal };
    served = await serveRoutes(mcpRoutes(settings, dependencies));
    for (const each of [orgId, 'globex']) {
      await given.api.call(registerTaskRoute, { body: { orgId: each, name: 'own' } }, ada);
      await given.api.call(activateTaskRoute, { body: { orgId: each } }, ada);
    }
    const type = { description: 'An order was paid', schema: { type: 'object' }, searchable: ['data.number'] };
    await given.api.call(declareEventTypeRoute, { body: { name: 'order.paid', ...type } }, ada);
  });
  let tests = 0;
  beforeEach(async () => {
    tests += 1; // each has a user, whose challenges are counted
    user = `user-${tests}`;
    host = await startAgentHost();
  });
  afterEach(() => {
    failing = undefined;
    return host.close();
  });
  after(async () => {
    stopping.abort();
    for (const client of clients) await client.close();
    await served.close();
    await webhooks.stop();
    await given.stop();
  });

  async function connected(token: string, headers: Readonly<Record<string, string>> = {}): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const requestInit = { headers: { authorization: `Bearer ${token}`, ...headers } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${served.origin}/mcp`), { requestInit }));
    clients.push(client);
    return client;
  }
  type Changes = {
    name?: string;
    url?: string;
    secret?: string;
    mode?: string;
    arguments?: object;
    ttlMs?: number | null;
    cursor?: string | null;
    maxAgeMs?: number;
  };
  async function subscribe(
    client: Client,
    { url = host.url, secret = host.secret, mode = 'webhook', ...more }: Changes = {},
  ) {
    const params = { name: 'order.paid', ...more, delivery: { mode, url, secret } };
    return (await client.request({ method: 'events/subscribe', params }, z.looseObject({}))) as unknown as Subscribed;
  }
  const unsubscribe = (client: Client, changes: Changes = {}) => {
    const { url = host.url, ...more } = changes;
    const params = { name: 'order.paid', ...more, delivery: { mode: 'webhook', url } };
    return client.request({ method: 'events/unsubscribe', params }, z.looseObject({}));
  };
  const codeOf = async (refused: Promise<unknown>) =>
    (await rejection(refused)) as unknown as { code: number; data: object };
  const publish = (id: string, data: object = {}, of = orgId) =>
    given.api.call(publishFlowEventRoute, { body: { orgId: of, type: 'order.paid', id, data } }, ada);
  const listeners = async () => {
    await given.viewsCaughtUp();
    const { items } = await given.api.call(listListenersRoute, { query: { orgId } }, ada);
    return items.filter(({ hookUrl }) => hookUrl.startsWith(host.url));
  };

  /** Sets the end of the subscription to the past. */
  async function expire({ listenerId, hookUrl }: { listenerId: string; hookUrl: string }) {
    await handle(
      given.store,
      listenerStream(orgId, hookUrl),
      listenerDecider,
      (state) => {
        const { details, since } = requireRegistered(state, listenerId);
        const secret = { ...details.secret, expiresAt: new Date(Date.now() - 1).toISOString() };
        return [
          { type: 'ListenerRenewed' as const, data: { ...details, secret, paused: false, since: String(since) } },
        ];
      },
      { cause: { actor: 'test', correlationId: 'test' }, now: new Date() },
    );
  }

  it('verify the callback, deliver signed occurrences, and end with the unsubscribe', async () => {
    const client = await connected(user);
    const { id, refreshBefore, truncated } = await subscribe(client);
    expect(id).to.match(/^sub_[0-9a-f]{32}$/);
    expect(truncated).to.equal(false);
    expect(Date.parse(refreshBefore) - Date.now()).to.be.within(3_000_000, 3_600_000);
    expect(host.verifications).to.have.length(1);
    expect(host.verifications[0]?.headers['webhook-id']).to.match(/^msg_verification_/);

    await publish('1', { number: 1 });
    await host.has(1);
    const [{ path, headers, body } = { path: '', headers: {} as Record<string, string>, body: undefined }] =
      host.events;
    expect(path).to.equal('/hook');
    expect(headers).to.include({ 'webhook-id': body?.eventId, 'x-mcp-subscription-id': id });
    expect(body).to.deep.include({ name: 'order.paid', data: { number: 1 } });

    await unsubscribe(client);
    await publish('2');
    await publish('done', {}, 'globex');
    await until(async () => (await given.queue.events({ orgId: 'globex', limit: 1 })).length === 1, 'the fan-out');
    expect(host.events).to.have.length(1);
    await unsubscribe(client);
  });

  it('are selected by the arguments, and by those of each subscription at one callback', async () => {
    const client = await connected(user);
    const one = await subscribe(client, { arguments: { 'data.number': 1 } });
    const many = await subscribe(client, { arguments: { 'data.number': [2, 3] } });
    expect(host.verifications).to.have.length(1);
    for (const number of [4, 3, 1]) await publish(`number ${number}`, { number });
    await host.has(2);
    const bySubscription = host.events.map(({ headers, body }) => [headers['x-mcp-subscription-id'], body.data.number]);
    expect(bySubscription).to.have.deep.members([
      [one.id, 1],
      [many.id, 3],
    ]);
    expect((await codeOf(subscribe(client, { arguments: { 'data.other': 1 } }))).code).to.equal(-32_602);
  });

  it('are refreshed by the same request, which appends nothing, and get another secret by one with it', async () => {
    const client = await connected(user);
    const { id } = await subscribe(client);
    const [before] = await listeners();
    expect((await subscribe(client)).id).to.equal(id);
    expect(await listeners()).to.eql([before]);
    expect(host.verifications).to.have.length(1);
    const secret = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;
    expect((await subscribe(client, { secret })).id).to.equal(id);
    const [after] = await listeners();
    expect(after).to.include({ listenerId: before?.listenerId, secretVersion: 2 });
    await publish('signed by both');
    await host.has(1); // which verifies with the earlier secret
    expect(host.events[0]?.headers['webhook-signature']?.split(' ')).to.have.length(2);
  });

  it('are listeners: in lists, in the history, in explanations, and ended by operators', async () => {
    const client = await connected(user);
    await subscribe(client);
    const [listener] = await listeners();
    expect(listener).to.include({ subscriptionType: 'order.paid', userId: user, state: 'active' });
    expect(listener?.description).to.equal('Agent: agent');
    await publish('explained');
    await host.has(1);
    const { listenerId = '' } = listener ?? {};
    const explained = () =>
      given.api.call(explainFlowEventRoute, { params: { eventId: 'explained' }, body: { orgId, listenerId } }, ada);
    await until(
      async () => JSON.stringify(await explained()).includes('"outcome":"delivered"'),
      'the outcome to be recorded',
    );
    await given.api.call(unsubscribeListenerRoute, { params: { listenerId } }, ada);
    const { items } = await given.api.call(showHistoryRoute, { body: { orgId } }, ada);
    expect(items.map(({ type }) => type)).to.include.members(['ListenerSubscribed', 'ListenerUnsubscribed']);
    expect(JSON.stringify(items)).not.to.contain(host.secret.slice(6));
  });

  it('end unless they are refreshed in time, and begin anew after it', async () => {
    const client = await connected(user);
    const { id } = await subscribe(client);
    const [listener] = await listeners();
    const { listenerId = '', hookUrl = '' } = listener ?? {};
    await expire({ listenerId, hookUrl });
    await publish('too late');
    await until(async () => (await listeners()).length === 0, 'the listener to end');
    const { items } = await given.api.call(showHistoryRoute, { body: { orgId } }, ada);
    expect(items.findLast(({ type }) => type === 'ListenerUnsubscribed')).to.include({ reason: 'expired' });
    expect((await subscribe(client)).id).to.equal(id);
    await publish('in time');
    await host.has(1);
    expect(host.events.map(({ body }) => body.eventId)).to.have.length(1);
    expect((await listeners())[0]?.listenerId).not.to.equal(listenerId);
  });

  it('stay where the callback refuses one delivery for good', async () => {
    const client = await connected(user);
    host.answerEvents(410);
    await subscribe(client);
    await publish('refused');
    await host.has(1);
    host.answerEvents(204);
    await publish('accepted');
    await host.has(2);
    expect(await listeners()).to.have.length(1);
  });

  describe('of a host that comes back', () => {
    let replays: ReturnType<typeof startReplayRunner>;
    const startReplays = () => {
      const log = pino({ enabled: false });
      return startReplayRunner({
        ...given,
        leases: soleHolder({ log }),
        viewPassed: () => given.viewsCaughtUp(),
        replayEvents: new EventEmitter(),
        details: (listenerId) => currentListener(given.readModel, listenerId),
        clock: Date.now,
        pollMs: 50,
        log,
      });
    };
    before(() => {
      replays = startReplays();
    });
    after(() => replays.stop());
    const recorded = () =>
      until(async () => {
        const open = (await listeners()).map(({ listenerId }) =>
          given.queue.listeners({ orgId, listenerId, limit: 1 }),
        );
        return (await Promise.all(open)).flat().length === 0;
      }, 'the outcomes to be recorded');
    /** IDs of the events after the cursor of a refresh. */
    const leftOf = async (client: Client, cursor: string | null) => {
      const refreshed = await subscribe(client, { cursor });
      const query = { orgId, after: refreshed.cursor ?? '' };
      const { items } = await given.api.call(readFeedRoute, { query }, ada);
      return items.map((item) => item.kind === 'event' && item.event.id);
    };
    const numbersOf = () => host.events.map(({ body }) => body.data.number);

    it('are those that it has missed since its cursor, in their order, then those from now on', async () => {
      const client = await connected(user);
      const { cursor } = await subscribe(client);
      expect(cursor).to.be.a('string');
      await publish(`${user} 1`, { number: 1 });
      await host.has(1);
      await until(async () => (await leftOf(client, cursor)).length === 0, 'the outcome to be recorded');
      const refreshed = await subscribe(client, { cursor });
      expect(refreshed.deliveryStatus).to.deep.include({ active: true, lastError: null });
      expect(refreshed.deliveryStatus?.lastDeliveryAt).to.be.a('string');
      await unsubscribe(client);
      for (const number of [2, 3]) await publish(`${user} ${number}`, { number });
      const back = await subscribe(client, { cursor: refreshed.cursor });
      expect(back.truncated).to.equal(false);
      await host.has(3);
      await publish(`${user} 4`, { number: 4 });
      await host.has(4);
      expect(numbersOf()).to.have.members([1, 2, 3, 4]);
    });

    it('has a cursor before the first delivery that is open, while later ones are accepted', async () => {
      const client = await connected(user);
      const { cursor } = await subscribe(client);
      await publish(`${user} 1`, { number: 1 });
      await host.has(1);
      await recorded();
      host.answerEvents(503);
      await publish(`${user} 2`, { number: 2 });
      await host.has(2);
      await until(
        async () => (await subscribe(client, { cursor })).deliveryStatus?.lastError === 'http_5xx',
        'the failure',
      );
      host.answerEvents(204);
      await publish(`${user} 3`, { number: 3 });
      await host.has(3);
      await until(async () => (await leftOf(client, cursor)).length < 3, 'the fan-out to have passed them');
      expect(await leftOf(client, cursor)).to.eql([`${user} 2`, `${user} 3`]);
      const { next } = await given.api.call(readFeedRoute, { query: { orgId, after: 'end' } }, ada);
      expect((await subscribe(client, { cursor: next })).cursor, 'that of the request, which is later').to.equal(next);
    });

    it('is notified once, by a refresh, that deliveries were given up', async () => {
      const client = await connected(user);
      const { id, cursor } = await subscribe(client);
      const refresh = () => subscribe(client, { cursor });
      const giveUp = async (name: string) => {
        host.answerEvents(410);
        const { length } = host.events;
        await publish(`${user} ${name}`);
        await host.has(length + 1);
        await recorded();
        await refresh();
      };
      await giveUp('refused');
      await until(() => host.gaps.length > 0, 'the notice');
      const [gap] = host.gaps;
      expect(gap?.headers).to.include({ 'x-mcp-subscription-id': id });
      expect(gap?.headers['webhook-id']).to.match(/^msg_gap_[0-9a-f]{32}$/);
      if (gap) checkDescribed(gap);

      await refresh();
      await giveUp('refused too');
      await until(async () => {
        await refresh();
        return host.gaps.length > 1;
      }, 'the notice of the second one');
      expect(new Set(host.gaps.map(({ headers }) => headers['webhook-id'])).size).to.equal(2);
      expect(host.gaps).to.have.length(2);
    });

    it('is notified of those that were given up within twice the time of its refresh, for which it stays', async () => {
      const client = await connected(user);
      const { cursor } = await subscribe(client, { ttlMs: 600_000 });
      const { notifyGap } = webhooks;
      const since: number[] = [];
      webhooks.notifyGap = async (_, gap) => void since.push(gap.since);
      await subscribe(client, { cursor, ttlMs: 600_000 });
      webhooks.notifyGap = notifyGap;
      expect(Date.now() - (since[0] ?? 0)).to.be.at.least(1_200_000);
    });

    it('says that events are missing, or were too old', async () => {
      const client = await connected(user);
      const { cursor } = await subscribe(client);
      await unsubscribe(client);
      await publish(`${user} old`, { number: 1 });
      expect(await subscribe(client, { cursor, maxAgeMs: 0 })).to.include({ truncated: true });
      await unsubscribe(client);
      await until(
        async () => (await given.queue.events({ orgId, limit: 1 }))[0]?.publishedId === `${user} old`,
        'the fan-out',
      );
      await given.store.deleteStream(flowStream(orgId, `${user} old`));
      await until(async () => {
        const { truncated } = await subscribe(client, { cursor });
        await unsubscribe(client);
        return truncated;
      }, 'the feed to know of it');
      expect(host.events).to.eql([]);
    });

    it('gets what was published while it came back', async () => {
      const client = await connected(user);
      const { cursor } = await subscribe(client);
      await unsubscribe(client);
      const { verifyCallback } = webhooks;
      webhooks.verifyCallback = async (callback) => {
        webhooks.verifyCallback = verifyCallback;
        await publish(`${user} meanwhile`, { number: 1 });
        await verifyCallback(callback);
      };
      expect(await subscribe(client, { cursor })).to.include({ truncated: false });
      await host.has(1);
      expect(numbersOf()).to.eql([1]);
    });

    it('keeps its cursor until all that it has missed was sent', async () => {
      const client = await connected(user);
      const { cursor } = await subscribe(client);
      await unsubscribe(client);
      await publish(`${user} missed`, { number: 1 });
      await replays.stop();
      await subscribe(client, { cursor });
      expect(await subscribe(client, { cursor })).to.include({ cursor });
      replays = startReplays();
      await until(async () => (await subscribe(client, { cursor })).cursor !== cursor, 'the replay to end');
      await recorded();
      expect(numbersOf()).to.eql([1]);
    });

    for (const [name, route] of Object.entries({
      'the start of its replay': startReplayRoute,
      'the search for them': readFeedRoute,
    }))
      it(`gets what it has missed by a repeat, after ${name} failed or the process ended before it`, async () => {
        const client = await connected(user);
        const { cursor } = await subscribe(client);
        await unsubscribe(client);
        await publish(`${user} missed`, { number: 1 });
        const { verifyCallback } = webhooks;
        webhooks.verifyCallback = async (callback) => {
          webhooks.verifyCallback = verifyCallback;
          await verifyCallback(callback);
          failing = route; // the subscription begins after it
        };
        expect((await codeOf(subscribe(client, { cursor }))).code).to.equal(-32_603);
        expect((await codeOf(subscribe(client, { cursor }))).code).to.equal(-32_603);
        failing = undefined;
        expect(await listeners()).to.have.length(1);
        expect(await subscribe(client, { cursor })).to.include({ truncated: false });
        await host.has(1);
        expect(numbersOf()).to.eql([1]);

        await publish(`${user} next`, { number: 2 });
        await host.has(2);
        await recorded();
        expect(numbersOf()).to.eql([1, 2]);
      });

    it('gets what it has missed by two requests at once, which begin with different events', async () => {
      const client = await connected(user);
      const { cursor } = await subscribe(client);
      await publish(`${user} 1`, { number: 1 });
      await host.has(1);
      await recorded();
      const { cursor: later } = await subscribe(client, { cursor });
      await unsubscribe(client);
      await publish(`${user} 2`, { number: 2 });
      const { verifyCallback } = webhooks;
      let beginning = 0;
      webhooks.verifyCallback = async (callback) => {
        beginning += 1;
        await until(() => beginning === 2, 'both to begin');
        webhooks.verifyCallback = verifyCallback;
        await verifyCallback(callback);
      };
      const back = await Promise.all([cursor, later].map((each) => subscribe(client, { cursor: each })));
      await until(async () => (await subscribe(client, { cursor })).cursor !== cursor, 'the replay to end');
      await recorded();
      const isSentAgain = numbersOf().filter((number) => number === 1).length > 1; // by the replay of the first request
      expect(back.map(({ truncated }) => truncated)).to.eql([!isSentAgain, false]);
      expect(numbersOf()).to.include(2);
    });

    it('has no cursor of before it came back, where nothing is missing', async () => {
      const client = await connected(user);
      const { cursor } = await subscribe(client);
      await unsubscribe(client);
      const back = await subscribe(client, { cursor });
      expect(back.cursor).not.to.equal(cursor);
      failing = readFeedRoute;
      expect(await subscribe(client, { cursor: back.cursor })).to.include({ truncated: false }); // without a look at the feed
      failing = undefined;
    });

    it('is refused with the cursor of another organisation, and with a text that is no cursor, before anything is sent', async () => {
      const { cursor } = await subscribe(await connected(`${user}@globex`));
      for (const wrong of [cursor, 'end', ''])
        expect((await codeOf(subscribe(await connected(user), { cursor: wrong }))).code, `${wrong}`).to.equal(-32_602);
      expect(host.verifications).to.have.length(1);
    });
  });

  describe('whose callers lose their access', () => {
    let access: ReturnType<typeof startAgentAccess>;
    const reached = async () => (await given.queue.positions([agentAccessReader])).get(agentAccessReader);
    const start = (changes: Partial<Parameters<typeof startAgentAccess>[0]> = {}) => {
      const guard = targetGuard({ allowHttp: true, allowLoopback: true, allowedTargets: [] });
      const post = postThrough(listenerPools({ connect: guard.connect, connections: 1, maxPools: 10 }));
      const log = pino({ enabled: false });
      return startAgentAccess({
        ...given,
        leases: soleHolder({ log }),
        viewPassed: () => given.viewsCaughtUp(),
        barrier: { close: (listenerId) => given.queue.withdraw({ listenerId }) },
        notifyTerminated: terminationNotices({ post, masterKeys: given.masterKeys, eventNumbering: 'sketch', log }),
        clock: Date.now,
        log,
        ...changes,
      });
    };
    beforeEach(async () => {
      access = start();
      await until(async () => (await reached()) !== undefined, 'the reader to begin');
    });
    afterEach(() => access.stop());

    const cause = { cause: { actor: 'test', correlationId: 'test' }, now: new Date() };
    async function changeSession(of: string, change: 'begin' | 'revoke', resource?: '/mcp') {
      const sessionId = sessionIdOf(of);
      await handle(
        given.store,
        sessionStream(sessionId),
        sessionDecider,
        (session) =>
          change === 'begin'
            ? issueTokens(
                {
                  ...{
                    sessionId,
                    orgId,
                    userId: of.split('+')[0] ?? '',
                    clientId: 'agent',
                    scopes: ['listeners'],
                    resource,
                  },
                  ...{ keyGeneration: 'g1', refreshTokenHash: 'x'.repeat(43), resumes: false, isAuthenticated: false },
                  ...{ limits: { refreshGraceMs: 0 }, now: new Date() },
                },
                session,
              )
            : revokeSession({ reason: 'operator', now: new Date() }, session),
        cause,
      );
    }

    it('end with the session, and their host is notified once', async () => {
      const other = `${user}-other`;
      for (const each of [user, other]) await changeSession(each, 'begin', '/mcp');
      const { id } = await subscribe(await connected(user));
      await subscribe(await connected(other));
      await changeSession(user, 'revoke');
      await until(() => host.terminated.length > 0, 'the notice');
      const error = { code: -32_012, message: 'Access revoked', data: { reason: 'Access revoked' } };
      expect(host.terminated.map(({ body }) => body)).to.deep.equal([{ type: 'terminated', error }]);
      expect(host.terminated[0]?.headers).to.include({ 'x-mcp-subscription-id': id });
      expect((await listeners()).map(({ userId }) => userId)).to.eql([other]);
    });

    it('end with the consent of the user, and with the client', async () => {
      const other = `${user}-other`;
      for (const each of [user, other]) await subscribe(await connected(each));
      const context = { ...cause, now: new Date() };
      const parties = { clientId: 'agent', orgId, userId: user };
      await recordConsent(given.store, { ...parties, scopes: ['listeners'] }, context);
      await endConsent(given.store, consentIdOf(parties), context);
      await until(() => host.terminated.length === 1, 'the notice to the user');
      expect((await listeners()).map(({ userId }) => userId)).to.eql([other]);
      const client = {
        clientId: 'agent',
        name: 'Agent',
        type: 'public',
        redirectUris: ['https://agent.example/'],
      } as const;
      await operateClient(given.store, { change: 'register', ...client, scopes: ['listeners'] }, context);
      await operateClient(given.store, { change: 'remove', clientId: 'agent' }, context);
      await until(() => host.terminated.length === 2, 'the notice to the other');
      expect(await listeners()).to.eql([]);
    });

    for (const [name, endAccess] of Object.entries({
      session: () => changeSession(user, 'revoke'),
      async consent() {
        const parties = { clientId: 'agent', orgId, userId: user };
        const context = { ...cause, now: new Date() };
        await recordConsent(given.store, { ...parties, scopes: ['listeners'] }, context);
        await endConsent(given.store, consentIdOf(parties), context);
      },
    }))
      it(`end too if the ${name} ends while they begin`, async () => {
        await changeSession(user, 'begin', '/mcp');
        const { verifyCallback } = webhooks;
        webhooks.verifyCallback = async (callback) => {
          webhooks.verifyCallback = verifyCallback;
          await endAccess();
          await verifyCallback(callback);
        };
        const { id } = await subscribe(await connected(user));
        await until(() => host.terminated.length > 0, 'the notice');
        expect(host.terminated.map(({ headers }) => headers['x-mcp-subscription-id'])).to.eql([id]);
        expect(await listeners()).to.eql([]);
      });

    describe('by an API key', () => {
      const issue = async (of: string | null) => {
        const scopes = ['listeners:write'] as const;
        const request = { name: 'agent', orgId: of, scopes: [...scopes], expiresAt: null };
        const { apiKeyId } = (await issueApiKey(given.store, request, cause)).key;
        administrators[apiKeyId] = { actor: `api-key:${apiKeyId}`, apiKey: { apiKeyId, orgId, scopes } };
        return apiKeyId;
      };
      const revoke = (apiKeyId: string) => endApiKey(given.store, apiKeyId, cause);

      for (const [name, of] of Object.entries({ 'its organisation': orgId, 'every organisation': null }))
        it(`end with the key, for ${name}, and no other does`, async () => {
          const [apiKeyId, other] = [await issue(of), await issue(of)];
          const client = await connected(apiKeyId, { orgid: orgId });
          const { id } = await subscribe(client);
          await subscribe(await connected(other, { orgid: orgId }));
          await revoke(apiKeyId);
          await until(() => host.terminated.length > 0, 'the notice');
          expect(host.terminated.map(({ headers }) => headers['x-mcp-subscription-id'])).to.eql([id]);
          expect((await listeners()).map(({ userId }) => userId)).to.eql([`api-key:${other}`]);
        });

      it('end too if the key is revoked while they begin', async () => {
        const apiKeyId = await issue(orgId);
        const { verifyCallback } = webhooks;
        webhooks.verifyCallback = async (callback) => {
          webhooks.verifyCallback = verifyCallback;
          await revoke(apiKeyId);
          await verifyCallback(callback);
        };
        await subscribe(await connected(apiKeyId));
        await until(() => host.terminated.length > 0, 'the notice');
        expect(await listeners()).to.eql([]);
      });
    });

    it('notify their host where an operator ends them, and not where it ends them itself', async () => {
      const client = await connected(user);
      const byHost = await subscribe(client, { arguments: { 'data.number': 1 } });
      const byOperator = await subscribe(client);
      await unsubscribe(client, { arguments: { 'data.number': 1 } });
      const [listener] = await listeners();
      await given.api.call(unsubscribeListenerRoute, { params: { listenerId: listener?.listenerId ?? '' } }, ada);
      await until(() => host.terminated.length > 0, 'the notice');
      expect(host.terminated.map(({ headers }) => headers['x-mcp-subscription-id'])).to.eql([byOperator.id]);
      expect(byHost.id).not.to.equal(byOperator.id);
    });

    it('end once their time is over, without an event that is due to them and without a notice', async () => {
      await subscribe(await connected(user));
      await subscribe(await connected(`${user}-other`));
      const [listener] = (await listeners()).filter(({ userId }) => userId === user);
      if (listener) await expire(listener);
      await given.viewsCaughtUp();
      await access.stop();
      access = start();
      await until(async () => (await listeners()).length === 1, 'the subscription to end');
      expect((await listeners()).map(({ userId }) => userId)).to.eql([`${user}-other`]);
      const last = await readLast(given.store, listenerStream(orgId, listener?.hookUrl ?? ''));
      expect(last?.data).to.include({ reason: 'expired' });
      await until(async () => ((await reached()) ?? -1n) >= (await given.store.head()), 'the reader to pass the end');
      expect(host.terminated).to.eql([]);
    });

    const refused = { code: -32_012, data: { reason: 'Access revoked' } };

    it('notify their host where a customer removes them, and do not begin again in the same session', async () => {
      const client = await connected(user);
      const { id } = await subscribe(client);
      const [listener] = await listeners();
      const customer: Caller = { actor: 'customer:eve', role: 'operator', orgId };
      await given.api.call(unsubscribeListenerRoute, { params: { listenerId: listener?.listenerId ?? '' } }, customer);
      await until(() => host.terminated.length > 0, 'the notice');
      expect(host.terminated.map(({ headers }) => headers['x-mcp-subscription-id'])).to.eql([id]);
      expect(await codeOf(subscribe(client))).to.deep.include(refused);
      expect(host.verifications).to.have.length(1);
      expect(await listeners()).to.eql([]);
    });

    it('do not begin in a session whose consent the user has withdrawn, and begin in a later one', async () => {
      await changeSession(user, 'begin', '/mcp');
      const client = await connected(user);
      await subscribe(client);
      const parties = { clientId: 'agent', orgId, userId: user };
      const now = new Date();
      await recordConsent(given.store, { ...parties, scopes: ['listeners'] }, { ...cause, now });
      await endConsent(given.store, consentIdOf(parties), { ...cause, now });
      await until(() => host.terminated.length === 1, 'the notice');
      for (const number of [undefined, 1])
        expect(
          await codeOf(subscribe(client, { arguments: number === undefined ? {} : { 'data.number': number } })),
        ).to.deep.include(refused);
      expect(await listeners()).to.eql([]);
      await changeSession(`${user}+later`, 'begin', '/mcp');
      await subscribe(await connected(`${user}+later`));
      expect(await listeners()).to.have.length(1);
    });

    it('notify their host of an erasure, which waits for the reader of their ends', async () => {
      const erasedId = 'erased';
      await given.api.call(registerTaskRoute, { body: { orgId: erasedId, name: 'own' } }, ada);
      await given.api.call(activateTaskRoute, { body: { orgId: erasedId } }, ada);
      const client = await connected(`${user}@${erasedId}`);
      const { id, cursor } = await subscribe(client);
      await access.stop();
      const erasure = given.api.call(eraseOrganisationRoute, { body: { orgId: erasedId, confirm: erasedId } }, ada);
      const stream = listenerStream(erasedId, `${host.url}#${id}`);
      const isEnded = async () => (await readLast(given.store, stream))?.type === 'ListenerUnsubscribed';
      await until(isEnded, 'the subscription to end');
      access = start();
      expect(await erasure).to.include({ streams: 2 });
      expect(host.terminated.map(({ headers }) => headers['x-mcp-subscription-id'])).to.eql([id]);
      expect(await readLast(given.store, stream)).to.equal(undefined);

      await given.api.call(registerTaskRoute, { body: { orgId: erasedId, name: 'own' } }, ada);
      await given.api.call(activateTaskRoute, { body: { orgId: erasedId } }, ada);
      expect(await subscribe(client, { cursor })).to.include({ id, truncated: true });
    });

    it('have their notice sent again that was under way at a stop', async () => {
      await access.stop();
      let began = 0;
      const hangs = async () => {
        began += 1;
        await new Promise(() => undefined);
      };
      access = start({ notifyTerminated: hangs });
      const { id } = await subscribe(await connected(user));
      const [listener] = await listeners();
      await given.api.call(unsubscribeListenerRoute, { params: { listenerId: listener?.listenerId ?? '' } }, ada);
      await until(() => began > 0, 'the notice to begin');
      const { position = -1n } = (await readLast(given.store, listenerStream(orgId, `${host.url}#${id}`))) ?? {};
      await access.stop();
      expect(((await reached()) ?? -1n) < position).to.equal(true);
      access = start();
      await until(() => host.terminated.length > 0, 'the notice');
      await until(async () => ((await reached()) ?? -1n) >= position, 'the reader to pass it');
      expect(host.terminated).to.have.length(1);
    });

    it('are the requests that the API description has', async () => {
      const client = await connected(user);
      const { id } = await subscribe(client);
      await publish('described', { number: 1 });
      await host.has(1);
      const [listener] = await listeners();
      await given.api.call(unsubscribeListenerRoute, { params: { listenerId: listener?.listenerId ?? '' } }, ada);
      await until(() => host.terminated.length > 0, 'the notice');
      for (const [received] of [host.verifications, host.events, host.terminated]) {
        if (!received) throw new Error(`${id} has not got all`);
        checkDescribed(received);
      }
    });
  });

  describe('from a callback that does not return the challenge', () => {
    for (const [name, answer] of Object.entries({
      'returns another one': () => JSON.stringify({ challenge: 'x'.repeat(43) }),
      'returns nothing': () => '',
      'returns it in another field': (challenge: string) => JSON.stringify({ type: 'verification', value: challenge }),
      'returns all of a kind': () => JSON.stringify({ challenge: true }),
    }))
      it(`are refused if it ${name}`, async () => {
        host.answerChallenges(answer);
        const { code, data } = await codeOf(subscribe(await connected(user)));
        expect([code, data]).to.deep.equal([-32_015, { reason: 'challenge_failed' }]);
        expect(await listeners()).to.eql([]);
      });

    it('are refused if it does not know the secret', async () => {
      const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
      const { code, data } = await codeOf(subscribe(await connected(user), { secret }));
      expect([code, data]).to.deep.equal([-32_015, { reason: 'http_status' }]);
    });

    it('are refused if nothing answers', async () => {
      const url = 'http://127.0.0.1:1/hook';
      expect((await codeOf(subscribe(await connected(user), { url }))).code).to.equal(-32_602); // no port of HTTP
      const closed = await startAgentHost();
      await closed.close();
      const { code, data } = await codeOf(subscribe(await connected(user), { url: closed.url }));
      expect([code, data]).to.deep.equal([-32_015, { reason: 'connection_failed' }]);
    });

    it('are verified for each caller and URL, and a few times a minute', async () => {
      await subscribe(await connected(user));
      await subscribe(await connected(`${user}-other`));
      expect(host.verifications).to.have.length(2);
      await subscribe(await connected(user), { url: `${host.url}?another` });
      expect(host.verifications.map(({ path }) => path)).to.eql(['/hook', '/hook', '/hook?another']);
      host.answerChallenges(() => '');
      const foreign = await connected(`${user}@globex`);
      const codes: number[] = [];
      for (let count = 0; count < 11; count += 1)
        codes.push((await codeOf(subscribe(foreign, { arguments: { 'data.number': count } }))).code);
      expect(new Set(codes.slice(0, 10))).to.eql(new Set([-32_015]));
      expect(codes[10]).to.equal(-32_013);
    });
  });

  it('are refused to callers who may not register listeners, with weak secrets, and by other modes', async () => {
    const client = await connected(user);
    for (const [params, token, code] of [
      [{}, 'reader', -32_012],
      [{}, 'operator', -32_012],
      [{ name: 'order.unknown' }, user, -32_011],
      [{ mode: 'push' }, user, -32_014],
      [{ secret: `whsec_${Buffer.alloc(23).toString('base64')}` }, user, -32_602],
      [{ secret: `whsec_${Buffer.alloc(65).toString('base64')}` }, user, -32_602],
      [{ secret: 'secret' }, user, -32_602],
      [{ secret: Buffer.alloc(32).toString('base64') }, user, -32_602],
      [{ secret: `whsec_${'A'.repeat(33)}` }, user, -32_602], // no base64 has this length
      [{ secret: `whsec_${'A'.repeat(44)}==` }, user, -32_602], // padded though it is complete
      [{ secret: `whsec_${'A'.repeat(42)}B=` }, user, -32_602], // bits after the last byte
      [{ secret: `whsec_${'A'.repeat(34)}=` }, user, -32_602], // half of its padding
      [{ secret: `whsec_${Buffer.alloc(32, 255).toString('base64url')}` }, user, -32_602],
      [{ arguments: { 'data.number': { $unknown: 1 } } }, user, -32_602],
      [{ url: 'ftp://agent.example/' }, user, -32_602],
      [{ url: 'http://10.0.0.1/' }, user, -32_602],
      [{ url: 'http://169.254.169.254/latest' }, user, -32_602],
      [{ url: `${host.url.replace('http://', 'http://user:secret@')}` }, user, -32_602],
    ] as const) {
      const by = token === user ? client : await connected(token);
      expect((await codeOf(subscribe(by, params))).code, JSON.stringify([params, token])).to.equal(code);
    }
    expect(host.verifications).to.eql([]);
  });

  it('begin with a secret whose base64 has no padding', async () => {
    const { id } = await subscribe(await connected(user), { secret: host.secret.replace(/=+$/, '') });
    expect(id).to.be.a('string');
  });

  it('last from five minutes to a day, whatever time their host asks for', async () => {
    const client = await connected(user);
    const [minute, day] = [60_000, 86_400_000];
    for (const [ttlMs, grantedMs] of [
      [0, 5 * minute],
      [-1, 5 * minute],
      [0.5, 5 * minute],
      [6 * minute, 6 * minute],
      [2 * day, day],
      [Number.MAX_VALUE, day],
      [null, day],
      [undefined, 60 * minute],
    ] as const) {
      const asked = Date.now();
      const { refreshBefore } = await subscribe(client, ttlMs === undefined ? {} : { ttlMs });
      expect(Date.parse(refreshBefore) - grantedMs, `${ttlMs}`).to.be.within(asked, Date.now());
    }
  });

  it('name the delivery mode that is not supported', async () => {
    const { code, data } = await codeOf(subscribe(await connected(user), { mode: 'push' }));
    expect([code, data]).to.eql([-32_014, { feature: 'delivery.mode', value: 'push' }]);
  });

  it('are refused beyond the maximum of a member, with any of them at once, before anything is sent', async () => {
    const client = await connected(user);
    const begin = (number: number) => subscribe(client, { arguments: { 'data.number': number } });
    await begin(0); // verifies the callback
    const begun = await Promise.allSettled([1, 2, 3, 4, 5, 6].map(begin));
    const refused = begun.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(refused.map(({ code, data }) => [code, data])).to.eql(
      Array(3).fill([-32_013, { limit: 'agent-subscriptions', max: 4 }]),
    );
    const url = `${host.url}?another`;
    expect((await codeOf(subscribe(client, { url }))).code).to.equal(-32_013);
    expect(host.verifications).to.have.length(1);
    expect(await listeners()).to.have.length(4);

    expect(await begin(0), 'a refresh').to.have.property('id');
    await subscribe(await connected(`${user}-other`));
    await unsubscribe(client, { arguments: { 'data.number': 0 } });
    await begin(7);
    expect((await codeOf(begin(8))).code).to.equal(-32_013);
  });

  it('are refused without an active integration task, before anything is sent', async () => {
    const client = await connected(`${user}@without-task`);
    const { code, data } = await codeOf(subscribe(client));
    const reason = 'no integration task is registered for this organisation';
    expect([code, data]).to.deep.equal([-32_012, { reason }]);
    await given.api.call(registerTaskRoute, { body: { orgId: 'without-task', name: 'own' } }, ada);
    expect((await codeOf(subscribe(client))).code).to.equal(-32_012);
    expect(host.verifications).to.eql([]);
  });

  it('are refreshed no more once their type is retired or an argument is not searchable, and get events until they end', async () => {
    const client = await connected(user);
    const name = 'order.leaving';
    const type = { name, description: 'Leaves', schema: { type: 'object' }, searchable: ['data.number'] };
    const refusal = async () => {
      const { code, data } = await codeOf(subscribe(client, { name, arguments: { 'data.number': 1 } }));
      return [code, data];
    };
    await given.api.call(declareEventTypeRoute, { body: type }, ada).then(given.viewsCaughtUp);
    await subscribe(client, { name, arguments: { 'data.number': 1 } });
    await given.api.call(changeEventTypeRoute, { body: { name, searchable: [] } }, ada).then(given.viewsCaughtUp);
    expect(await refusal()).to.eql([-32_602, undefined]);
    await given.api.call(retireEventTypeRoute, { body: { name } }, ada).then(given.viewsCaughtUp);
    expect(await refusal()).to.eql([-32_011, { kind: 'event' }]);
    const body = { orgId, type: name, id: 'leaving', data: { number: 1 } };
    await given.api.call(publishFlowEventRoute, { body }, ada);
    await host.has(1);
    await unsubscribe(client, { name, arguments: { 'data.number': 1 } });
    expect(await listeners()).to.eql([]);
  });

  it('cannot be ended by another caller', async () => {
    const client = await connected(user);
    await subscribe(client);
    for (const token of [`${user}-other`, `${user}@globex`]) await unsubscribe(await connected(token));
    expect(await listeners()).to.have.length(1);
    await unsubscribe(client);
    expect(await listeners()).to.eql([]);
  });
});
