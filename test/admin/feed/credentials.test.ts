import { expect } from 'chai';
import type { ApiKeyGrant } from '../../../src/access/identity/caller.js';
import { identityOf } from '../../../src/access/identity/identify.js';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import { feedRoutes } from '../../../src/admin/api/feed.js';
import { adminRouter } from '../../../src/admin/api/routing/admin-router.js';
import { callLimits } from '../../../src/admin/api/routing/call-limits.js';
import type { ApiKeyScope } from '../../../src/events/api-key-events.js';
import type { ClientScope } from '../../../src/events/client-events.js';
import { publishFlowEvent } from '../../../src/flows/publish-flow-event.js';
import { Unauthenticated } from '../../../src/http/errors.js';
import { limiter } from '../../../src/http/limits/limiter.js';
import { requestLimits } from '../../../src/http/limits/request-limits.js';
import { ensureDefaultTask } from '../../../src/listeners/integration-task.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { type Served, serveRoutes } from '../../support/service/serve-routes.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

const cause = { actor: 'test', correlationId: 'test' };
const apiKey = (apiKeyId: string, orgId: string | null, ...scopes: ApiKeyScope[]): ApiKeyGrant => ({
  apiKeyId,
  orgId,
  scopes,
});
const user = (orgId: string, ...scopes: ClientScope[]) => ({ userId: '42', orgId, clientId: null, scopes });

describe('who may read the feed of an organisation', function () {
  this.timeout(60_000);
  let store: ReturnType<typeof openSqliteEventStore>;
  let queue: ReturnType<typeof openSqliteDeliveryQueue>;
  let served: Served;
  let stopping: AbortController;
  const grants = new Map([
    ['fhk_reads', apiKey('k-1', 'acme', 'flows:read')],
    ['fhk_all', apiKey('k-2', null, 'flows:read')],
    ['fhk_listens', apiKey('k-3', 'acme', 'listeners:read')],
    ['fhk_revoked', apiKey('k-4', 'acme', 'flows:read')],
  ]);
  const tokens = new Map([
    ['ey.user.acme', user('acme', 'listeners')],
    ['ey.publisher.acme', user('acme', 'flows:publish')],
    ['ey.revoked.acme', user('acme', 'listeners')],
  ]);
  let limits = requestLimits({});
  /** Number of checks of credentials. */
  let checks = 0;

  before(async () => {
    const directory = temporaryDirectory();
    store = openSqliteEventStore({ directory });
    queue = openSqliteDeliveryQueue({ directory });
    stopping = new AbortController();
    await ensureDefaultTask(store);
    await publish('one');
    const identity = identityOf({
      believeEveryone: true,
      async verifyApiKey(_, token) {
        checks += 1;
        return grants.get(token);
      },
      checkingKey: (_, __, check) => check(),
      adminKeys: new Map([['ops', { key: 'an-admin-key-of-some-length', role: 'viewer' }]]),
      verifyOperatorToken: async () => undefined,
      bearerToken: (ctx) => ctx.get('authorization').replace('Bearer ', '') || undefined,
      async verifyAccessToken(token) {
        checks += 1;
        const known = tokens.get(token);
        if (!known) throw new Unauthenticated('the access token is not valid');
        return known;
      },
    });
    const routes = feedRoutes({
      store,
      queue,
      masterKeys: masterKeys(new Map([['g1', Buffer.alloc(32, 1)]])),
      maxFeedWaits: 10,
      log: { info: () => undefined, error: () => undefined },
      stopping: stopping.signal,
    });
    const countRequest = (...request: Parameters<typeof limits.listenerRequest>) => limits.listenerRequest(...request);
    const counted = { ...limits, listenerRequest: countRequest };
    served = await serveRoutes(adminRouter(routes, identity, callLimits(counted)));
  });
  after(async () => {
    stopping.abort();
    await served.close();
    await queue.close();
    await store.close();
  });

  const publish = (id: string, orgId = 'acme') =>
    publishFlowEvent(store, { type: 'order.paid', id, data: {} }, { orgId, cause, now: new Date(), maxBytes: 1_000 });
  const read = (token: string | undefined, query = '') =>
    served.get(`/api/events?${query}`, token === undefined ? {} : { authorization: `Bearer ${token}` });
  const idsOf = ({ body }: { body: Record<string, unknown> }) =>
    (body.items as { event: { id: string } }[]).map(({ event }) => event.id);

  for (const [name, token, query] of [
    ['a user of the organisation', 'ey.user.acme', ''],
    ['an API key of the organisation', 'fhk_reads', 'orgId=acme'],
    ['an API key for every organisation, which names one', 'fhk_all', 'orgId=acme'],
    ['an operator, who names one', 'an-admin-key-of-some-length', 'orgId=acme'],
  ] as const)
    it(`is ${name}`, async () => expect(idsOf(await read(token, query))).to.eql(['one']));

  for (const [name, token, query, expected] of [
    ['without credentials', undefined, 'orgId=acme', [401, 'unauthenticated']],
    ['with a wrong token', 'ey.wrong.token', '', [401, 'unauthenticated']],
    ['for another organisation', 'ey.user.acme', 'orgId=globex', [403, 'forbidden']],
    ['with an API key of another organisation', 'fhk_reads', 'orgId=globex', [403, 'forbidden']],
    ['with a token for publishing', 'ey.publisher.acme', '', [403, 'insufficient_scope']],
    ['with an API key without the scope', 'fhk_listens', 'orgId=acme', [403, 'insufficient_scope']],
    ['as an operator who names no organisation', 'an-admin-key-of-some-length', '', [400, 'invalid_request']],
    ['with a wait that is too long', 'ey.user.acme', 'wait=31', [400, 'invalid_request']],
  ] as const)
    it(`is nobody ${name}`, async () => {
      const { status, body } = await read(token, query);
      expect([status, body.error]).to.eql(expected);
    });

  it('is nobody whose credentials were revoked while they waited', async () => {
    for (const [token, revoke] of [
      ['ey.revoked.acme', () => tokens.delete('ey.revoked.acme')],
      ['fhk_revoked', () => grants.delete('fhk_revoked')],
    ] as const) {
      const { next } = (await read(token, 'orgId=acme&after=end')).body as { next: string };
      const checked = checks;
      let isAnswered = false;
      const waiting = read(token, `orgId=acme&wait=30&after=${next}`).finally(() => {
        isAnswered = true;
      });
      await until(() => checks > checked, 'the request to be accepted');
      revoke();
      await until(async () => {
        await publish(`secret-${Math.random()}`);
        return isAnswered;
      }, 'the answer');
      const { status, body } = await waiting;
      expect([status, body.error, body.items]).to.eql([401, 'unauthenticated', undefined]);
    }
  });

  it('is a user within the limits of the organisation', async () => {
    limits = requestLimits({ organisation: limiter('organisation', { count: 2, windowMs: 60_000 }) });
    const statuses = [];
    for (const _ of [1, 2, 3]) statuses.push((await read('ey.user.acme')).status);
    limits = requestLimits({});
    expect(statuses).to.eql([200, 200, 429]);
  });

  it('is a sixth reader once the five that waited have gone', async () => {
    const { next } = (await read('ey.user.acme', 'after=end')).body as { next: string };
    const going = new AbortController();
    const headers = { authorization: 'Bearer ey.user.acme' };
    const url = `${served.origin}/api/events?wait=30&after=${next}`;
    const waiting = Array.from({ length: 6 }, () => fetch(url, { headers, signal: going.signal }));
    expect((await Promise.race(waiting)).status, 'one is refused while five wait').to.equal(429);
    going.abort();
    await Promise.allSettled(waiting);
    const statusOfAnother = async () => (await read('ey.user.acme', `wait=1&after=${next}`)).status;
    await until(async () => (await statusOfAnother()) === 200, 'the places of the five', { limitMs: 15_000 });
  });

  it('is answered at once, without events, when the service stops', async () => {
    const { next } = (await read('ey.user.acme', 'after=end')).body as { next: string };
    const checked = checks;
    const waiting = read('ey.user.acme', `wait=30&after=${next}`);
    await until(() => checks > checked, 'the request to be accepted');
    stopping.abort();
    expect((await waiting).body)
      .to.include({ more: false })
      .and.to.have.property('items').that.is.empty;
  });
});
