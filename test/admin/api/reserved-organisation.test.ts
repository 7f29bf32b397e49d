import { expect } from 'chai';
import { apiKeyVerification } from '../../../src/access/api-keys/verify-api-key.js';
import { bearerToken } from '../../../src/access/authorization-header.js';
import { identityOf } from '../../../src/access/identity/identify.js';
import { adminContracts } from '../../../src/admin/api/all-routes.js';
import { createApiKeyRoute } from '../../../src/admin/api/contracts/api-keys.js';
import { subscribeOperationsRoute } from '../../../src/admin/api/contracts/operations.js';
import { createPortalLinkRoute } from '../../../src/admin/api/contracts/organisations.js';
import type { AnyAdminRoute, Caller } from '../../../src/admin/api/routing/admin-route.js';
import { apiKeyScopes } from '../../../src/events/api-key-events.js';
import { operationsOrganisation } from '../../../src/events/operational-events.js';
import { publishRoutes } from '../../../src/flows/publishing/routes.js';
import { Forbidden } from '../../../src/http/errors.js';
import { DomainError } from '../../../src/kernel/domain-error.js';
import { noLimits } from '../../support/service/no-limits.js';
import { type Served, serveRoutes } from '../../support/service/serve-routes.js';
import { anOwner, type GivenOrganisation, givenOrganisation, limitedTo, requestFor } from './given-organisation.js';

const orgId = operationsOrganisation;
const slack = 'https://hooks.slack.com/services/secret';
const event = { orgId, id: 'forged', type: 'delivery.exhausted', data: {} };
const cloudEvent = { specversion: '1.0', source: '/forged', orgid: orgId, id: 'forged', type: 'delivery.exhausted' };
const refusal = { error: 'forbidden', message: `the organisation ${orgId} is reserved for operators` };

const everyScope: Caller = {
  actor: 'api-key:k',
  apiKey: { apiKeyId: 'k', orgId: null, scopes: [...apiKeyScopes] },
};
const withScopes = adminContracts.filter(({ access }) => access.scope !== undefined);
const ofOneOrganisation = adminContracts.filter(({ access }) => access.organisation !== 'service');

describe('the reserved organisation of operational events', function () {
  this.timeout(60_000);
  let given: GivenOrganisation;
  let served: Served;
  let apiKey: string;
  let head: bigint;
  let objects: GivenOrganisation['objects'];

  before(async () => {
    given = await givenOrganisation();
    const { api, store } = given;
    const subscription = { hookUrl: slack, subscriptionType: 'delivery.*' };
    const { listenerId } = await api.call(subscribeOperationsRoute, { body: subscription }, anOwner);
    objects = { ...given.objects, listeners: listenerId };
    const wanted = { name: 'all', orgId: null, scopes: [...apiKeyScopes] };
    apiKey = (await api.call(createApiKeyRoute, { body: wanted }, anOwner)).key ?? '';
    await given.viewsCaughtUp();
    served = await serveRoutes(
      publishRoutes({
        store,
        identity: identityOf({
          believeEveryone: true, // as in development mode: the body's organisation is trusted
          verifyAccessToken: () => Promise.reject(new Error('none is sent')),
          verifyApiKey: apiKeyVerification(store, () => new Date()),
          checkingKey: noLimits.wrongKeys,
          bearerToken,
          adminKeys: new Map([['ops', { key: 'an-admin-key-of-some-length', role: 'owner' as const }]]),
          verifyOperatorToken: async () => undefined,
        }),
        maxEventBytes: 10_000,
        checkPublished: async () => undefined,
        pace: async () => undefined,
        limits: noLimits,
      }),
    );
    await served.post('/api/flows', { ...event, orgId: 'acme' }, { authorization: `Bearer ${apiKey}` }); // its last use
  });
  beforeEach(async () => {
    head = await given.store.head();
  });
  afterEach(async () => expect(await given.store.head(), 'nothing is appended').to.equal(head));
  after(async () => {
    await served.close();
    await given.stop();
  });

  const attack = (route: AnyAdminRoute, caller: Caller): Promise<unknown> => {
    const { params, query, body } = requestFor(route, objects);
    const { organisation } = route.access;
    const request = {
      params,
      query: organisation === 'query' ? { ...query, orgId } : query,
      body: organisation === 'body' ? { ...body, orgId } : body,
    };
    return given.api.call(route, request as never, caller).catch((error: unknown) => error);
  };

  it('is in no route without an orgId that API keys may use', () =>
    expect(withScopes.map(({ access }) => access.organisation)).to.not.include.members(['of-object', 'service']));

  for (const route of withScopes)
    it(`is refused to an API key for every organisation by ${route.method} ${route.path}`, async () =>
      expect(await attack(route, everyScope)).to.be.instanceOf(Forbidden));

  for (const route of ofOneOrganisation)
    it(`is refused to a caller who is limited to it by ${route.method} ${route.path}`, async () => {
      const outcome = await attack(route, limitedTo(orgId));
      expect(outcome).to.be.instanceOf(DomainError);
      expect((outcome as Error).message).to.not.include('slack');
    });

  const structured = { 'content-type': 'application/cloudevents+json' };
  type Publishing = { body: object; headers?: Record<string, string> };
  const places: Readonly<Record<string, (orgId: string) => Publishing>> = {
    'a body': (orgId) => ({ body: { ...event, orgId } }),
    'a header': (orgid) => ({ body: { ...event, orgId: undefined }, headers: { orgid } }),
    'a structured CloudEvent': (orgid) => ({ body: { ...cloudEvent, orgid }, headers: structured }),
    'a binary CloudEvent': (orgid) => ({
      body: {},
      headers: Object.fromEntries(
        Object.entries({ ...cloudEvent, orgid }).map(([name, value]) => [`ce-${name}`, value]),
      ),
    }),
  };
  const senders = (): readonly [string, Record<string, string>][] => [
    ['an API key', { authorization: `Bearer ${apiKey}` }],
    ['an admin key', { authorization: 'Bearer an-admin-key-of-some-length' }],
    ['headers that are trusted', {}],
  ];
  for (const [place, publishing] of Object.entries(places))
    it(`takes no flow event that names it in ${place}, whoever publishes`, async () => {
      for (const [sender, credentials] of senders()) {
        const publish = (organisation: string) => {
          const { body, headers } = publishing(organisation);
          return served.post('/api/flows', JSON.stringify(body), { ...headers, ...credentials });
        };
        const isRead = !(place === 'a header' && sender === 'an admin key'); // admin keys name it in the event alone
        expect((await publish('acme')).status, `${sender}, to another organisation`).to.equal(isRead ? 202 : 400);
        head = await given.store.head();
        const { status, body } = await publish(orgId);
        const expected = isRead ? { status: 403, ...refusal } : { status: 400, error: 'invalid_request' };
        expect({ status, ...body }, sender).to.include(expected);
      }
    });

  it('takes no flow event of a batch, whoever publishes', async () => {
    for (const [sender, credentials] of senders()) {
      const lists: readonly [string, string, object][] = [
        ['/api/flows/batch', 'application/json', [event]],
        ['/api/flows', 'application/cloudevents-batch+json', [cloudEvent]],
      ];
      for (const [path, type, list] of lists) {
        const answer = await served.post(path, JSON.stringify(list), { ...credentials, 'content-type': type });
        expect(answer.body, `${sender} ${type}`).to.deep.include({ accepted: 0, rejected: 1 });
      }
    }
  });

  it('takes no flow event by the admin API, and has no API keys and no portal', async () => {
    const publish = adminContracts.find(({ path, method }) => path === '/admin/api/flows' && method === 'post');
    if (!publish) throw new Error('the route is missing');
    expect(await attack(publish, anOwner)).to.be.instanceOf(Forbidden);
    for (const route of [createApiKeyRoute, createPortalLinkRoute]) {
      const body = { ...route.bodyExample, orgId };
      const outcome = await given.api.call(route, { body } as never, anOwner).catch((error: unknown) => error);
      expect(outcome).to.be.instanceOf(Forbidden);
    }
  });
});
