import { expect } from 'chai';
import { pino } from 'pino';
import { listenerHistory } from '../../projections/listener-history.js';
import { listenersView } from '../../projections/listeners.js';
import { listApiKeysRoute } from '../../src/admin/api/contracts/api-keys.js';
import { listClientsRoute } from '../../src/admin/api/contracts/clients.js';
import { declareEventTypeRoute } from '../../src/admin/api/contracts/event-types.js';
import { listOrganisationsRoute, showOrganisationSettingsRoute } from '../../src/admin/api/contracts/organisations.js';
import { listSessionsRoute } from '../../src/admin/api/contracts/sessions.js';
import { listTasksRoute } from '../../src/admin/api/contracts/tasks.js';
import { adminSubjects } from '../../src/console/pages/admin-subjects.js';
import { listSkipped } from '../../src/views/skipped-events.js';
import { issued } from '../access/tokens/fixtures.js';
import { anOwner } from '../admin/api/given-organisation.js';
import { appendListenerEvent, appendSessionEvent } from '../audit/append-events.js';
import { subscribed } from '../listeners/fixtures.js';
import { type GivenOperations, givenOperations } from '../support/admin/given-operations.js';
import { withSite } from '../support/console/site-settings.js';
import { until } from '../support/until.js';

type Role = 'viewer' | 'operator' | 'owner';

const hostile = `<img src=x onerror="alert('1')"> \u05e9\u05dc\u05d5\u05dd\u201d`;
const at = new Date('2026-01-02T00:00:00Z');

/** The pages with a GET, for the organisation `acme`. */
const pages = [
  ...[
    '/views',
    '/views/listeners',
    '/views/listeners/rebuild',
    '/views/listeners/cancel',
    '/views/listeners/skip?position=3',
  ],
  ...['/audit', '/audit?orgId=acme', '/audit?orgId=acme&users=true', '/audit/service', '/audit/seals'],
  '/audit/difference?orgId=acme&from=2026-01-01T00:00&to=2027-01-01T00:00',
  '/audit/as-of?orgId=acme&at=2027-01-01T00:00:30',
  ...['/organisations', '/organisations?prefix=a', '/organisations/show?orgId=acme', '/organisations/erase?orgId=acme'],
  ...['/tasks', '/tasks/deactivate', '/sessions', '/sessions?orgId=acme&state=active', '/sessions/revoke?orgId=acme'],
  ...['/clients', '/clients/new', '/clients/show?clientId=platform', '/clients/rotate-secret?clientId=platform'],
  ...['/clients/end-previous-secret?clientId=platform', '/clients/remove?clientId=platform'],
  ...['/event-types', '/event-types/new', '/event-types/show?name=order.paid', '/event-types/change?name=order.paid'],
  '/event-types/retire?name=order.paid',
  ...['/api-keys', '/api-keys?orgId=acme', '/api-keys/new', '/api-keys/revoke?id=1&name=erp', '/keys', '/set-aside'],
  ...['/operations', '/operations/new'],
];

/** Actions, none of which a viewer may perform. */
const actions: readonly (readonly [path: string, form: Readonly<Record<string, string>>])[] = [
  ['/views/listeners/rebuild', {}],
  ['/views/listeners/verify', {}],
  ['/views/listeners/cancel', {}],
  ['/views/listeners/skip', { position: '1', why: 'a test' }],
  ['/audit/seals', {}],
  ['/organisations/settings', { orgId: 'acme', ordered: 'true' }],
  ['/organisations/event-type-check', { orgId: 'acme', eventTypeCheck: 'refuse' }],
  ['/organisations/portal-link', { orgId: 'acme' }],
  ['/organisations/erase', { orgId: 'acme', confirm: 'acme' }],
  ['/tasks/register', { orgId: 'acme', name: 'own' }],
  ['/tasks/activate', {}],
  ['/tasks/deactivate', {}],
  ['/sessions/revoke', { orgId: 'acme' }],
  ['/clients/new', { name: 'Another', redirectUris: 'https://example.com/callback', scopes: 'listeners' }],
  [
    '/clients/change',
    { clientId: 'platform', name: 'Other', redirectUris: 'https://example.com/b', scopes: 'listeners' },
  ],
  ['/clients/rotate-secret', { clientId: 'platform' }],
  ['/clients/end-previous-secret', { clientId: 'platform' }],
  ['/clients/remove', { clientId: 'platform' }],
  ['/api-keys/new', { name: 'erp', orgId: 'acme', scopes: 'listeners:read' }],
  ['/api-keys/revoke', { id: '0198c0de-0000-7000-8000-000000000001' }],
  ['/event-types/new', { name: 'order.sent', description: 'sent' }],
  ['/event-types/change', { name: 'order.paid', description: 'other' }],
  ['/event-types/retire', { name: 'order.paid' }],
  ['/set-aside/retry', {}],
  ['/operations/new', { hookUrl: 'https://ops.example.com/hook', subscriptionType: 'listener.*' }],
];

describe('the pages of the administration', function () {
  this.timeout(60_000);
  let given: GivenOperations;

  before(async () => {
    given = await givenOperations();
    const declared = { name: 'order.paid', description: 'An order was paid' };
    await given.api.call(declareEventTypeRoute, { body: declared }, anOwner);
  });
  beforeEach(async () => {
    await appendListenerEvent(given.store, subscribed({ orgId: 'acme', hookUrl: unusedUrl() }), { at });
    await appendSessionEvent(given.store, issued({ orgId: 'acme', sessionId: crypto.randomUUID() }), { at });
    await given.viewsCaughtUp();
  });
  after(() => given.stop());

  const unusedUrl = () => `https://hooks.example.com/${crypto.randomUUID()}`;

  type Pages = {
    get: (path: string) => Promise<Page>;
    post: (path: string, form: Readonly<Record<string, string>>) => Promise<Page>;
  };
  type Page = { status: number; html: string; headers: Headers };

  function as<Result>(role: Role, use: (site: Pages) => Promise<Result>): Promise<Result> {
    const log = pino({ level: 'silent' });
    const { api, seals } = given;
    const caller = { actor: `admin:${role}`, role, orgId: null };
    const settings = { api, sessionOf: async () => ({ caller }), subjects: adminSubjects({ log, seals }) };
    return withSite(settings, (origin) => {
      const send = async (path: string, init: RequestInit): Promise<Page> => {
        const response = await fetch(`${origin}/console${path}`, { redirect: 'manual', ...init });
        return { status: response.status, html: await response.text(), headers: response.headers };
      };
      return use({
        get: (path) => send(path, {}),
        post: (path, form) => send(path, { method: 'POST', headers: { origin }, body: new URLSearchParams(form) }),
      });
    });
  }

  const register = {
    name: 'Platform',
    clientId: 'platform',
    redirectUris: 'https://example.com/callback',
    scopes: 'listeners',
  };

  /** The actions of the forms on a page, without their queries. */
  const formsOn = (html: string): readonly string[] =>
    [...html.matchAll(/<form[^>]*method="post"[^>]*action="([^"?]*)/g)].map(([, action = '']) => action);

  it('have forms for those alone who may send them', async () => {
    await as('owner', ({ post }) => post('/clients/new', register));
    const seen = new Set<string>();
    const ofActions = new Set(actions.map(([path]) => path));
    for (const role of ['viewer', 'operator', 'owner'] as const) {
      await as(role, async ({ get, post }) => {
        for (const path of pages) {
          const { status, html } = await get(path);
          const shown = formsOn(html).map((action) => action.replace('/console', ''));
          const mayBeRefused = role !== 'owner' && ofActions.has(path.split('?')[0] ?? '');
          expect(status, `${role} ${path}`).to.be.oneOf(mayBeRefused ? [200, 403] : [200]);
          if (role === 'viewer' || status === 403) expect(shown, `${role} ${path}`).to.deep.equal([]);
          if (role === 'operator') for (const action of shown) seen.add(action);
        }
        // An empty form is refused for what it lacks.
        if (role !== 'operator') return;
        for (const action of [...seen].filter((each) => !/\/(seals|verify|rebuild|retry|cancel)$/.test(each)))
          expect((await post(action, { orgId: 'nobody', position: 'x' })).status, action).not.to.equal(403);
      });
    }
    expect([...seen]).to.include.members(['/tasks/register', '/event-types/new', '/organisations/settings']);
    expect(seen).not.to.include('/api-keys/new').and.not.to.include('/organisations/erase');
    await as('owner', ({ post }) => post('/clients/remove', { clientId: 'platform' }));
  });

  it('hide from operators the actions of owners', async () => {
    await as('owner', ({ post }) => post('/clients/new', register));
    const controls = [
      ['/organisations/show?orgId=acme', '/console/organisations/erase'],
      ['/organisations/show?orgId=acme', '/console/api-keys/new'],
      ['/clients', '/console/clients/new'],
      ['/clients/show?clientId=platform', '/console/clients/remove'],
      ['/api-keys', '/console/api-keys/new'],
    ] as const;
    for (const [path, control] of controls) {
      expect((await as('owner', ({ get }) => get(path))).html, path).to.include(control);
      expect((await as('operator', ({ get }) => get(path))).html, path).not.to.include(control);
    }
    await as('owner', ({ post }) => post('/clients/remove', { clientId: 'platform' }));
  });

  it('refuse every action of a viewer, with the reason, and change nothing', async () => {
    const head = await given.store.head();
    const live = await given.readModel.live(listenersView);
    await as('viewer', async ({ post }) => {
      for (const [path, form] of actions) {
        const { status, html } = await post(path, form);
        expect(status, path).to.equal(403);
        expect(html, path).to.match(/requires an admin key with the role/);
      }
    });
    expect(await given.store.head()).to.equal(head);
    expect(await given.readModel.live(listenersView)).to.equal(live);
  });

  it('show hostile names and values as text', async () => {
    await appendListenerEvent(given.store, subscribed({ orgId: hostile, hookUrl: unusedUrl(), userId: hostile }), {
      at,
    });
    await appendSessionEvent(given.store, issued({ orgId: hostile, userId: hostile, sessionId: crypto.randomUUID() }), {
      at,
    });
    await given.viewsCaughtUp();
    const orgId = encodeURIComponent(hostile);
    await as('owner', async ({ get, post }) => {
      await post('/tasks/register', { orgId: hostile, name: hostile });
      await given.viewsCaughtUp();
      await post('/tasks/deactivate', { orgId: hostile, reason: hostile });
      await post('/api-keys/new', { name: hostile.slice(0, 40), orgId: hostile, scopes: 'listeners:read' });
      await given.viewsCaughtUp();
      const shown = pages.map((path) => path.replaceAll('acme', orgId).replace('name=erp', `name=${orgId}`));
      for (const path of [
        ...shown,
        `/views/${orgId}`,
        `/clients/show?clientId=${orgId}`,
        `/audit?user=${orgId}&orgId=${orgId}`,
      ]) {
        const { html } = await get(path);
        expect(html, path).not.to.include('<img');
      }
      expect((await get('/organisations')).html).to.include('&lt;img src=x onerror=');
      expect((await get('/tasks')).html).to.include('&lt;img src=x onerror=');
      expect((await get('/api-keys')).html).to.include('&lt;img src=x onerror=');
      expect((await get(`/sessions?orgId=${orgId}`)).html).to.include('&lt;img src=x onerror=');
    });
  });

  it('rebuild a view, to which queries then go', async () => {
    const before = await given.readModel.live(listenersView);
    await as('operator', async ({ post, get }) => {
      const { status, headers } = await post('/views/listeners/rebuild', { verify: 'true' });
      const to = String(headers.get('location')).replace('/console', '');
      expect(status).to.equal(303);
      expect(to).to.match(/^\/views\/listeners\?before=[\w-]+&notice=views-rebuild$/);
      await until(async () => (await given.readModel.live(listenersView)) !== before, 'the new build');
      const live = await given.readModel.live(listenersView);
      await until(async () => (await get(to)).html.includes('The rebuild is done'), 'the end of the work');
      expect((await get(to)).html).to.include(live);
      expect((await get('/views/listeners')).html).not.to.include('The rebuild is done');
    });
  });

  it('verify a view and show the result', async () => {
    await as('operator', async ({ post, get }) => {
      expect((await post('/views/sessions/verify', {})).status).to.equal(303);
      await until(async () => (await get('/views/sessions')).html.includes('Matches the events'), 'the result');
    });
  });

  it('leave an event out of a view, with the reason in the record', async () => {
    const { position } = await appendListenerEvent(given.store, subscribed({ orgId: 'acme', hookUrl: unusedUrl() }), {
      at,
    });
    await given.viewsCaughtUp();
    await as('operator', async ({ post }) => {
      expect((await post('/views/listener-history/skip', { position: `${position}`, why: '' })).status).to.equal(400);
      const { headers } = await post('/views/listener-history/skip', {
        position: `${position}`,
        why: 'a faulty event',
      });
      expect(headers.get('location')).to.equal('/console/views/listener-history?notice=views-skip');
    });
    const [skipped] = await listSkipped(given.store, listenerHistory);
    expect(skipped).to.include({ why: 'a faulty event', eventType: 'ListenerSubscribed' });
  });

  it('show a set-aside event, and whether its retry succeeded', async () => {
    await given.store.append('flow-without-organisation', [
      { id: crypto.randomUUID(), type: 'flow.done', data: { value: hostile }, metadata: {} },
    ]);
    await as('operator', async ({ get, post }) => {
      await until(async () => (await get('/set-aside')).html.includes('flow-without-organisation'), 'the event');
      const { status, html } = await post('/set-aside/retry', { stream: 'flow-without-organisation', revision: '0' });
      expect([status, html.includes('Still set aside')]).to.deep.equal([200, true]);
      expect((await post('/set-aside/retry', { stream: 'flow-unknown', revision: '0' })).status).to.equal(404);
    });
  });

  it('change the settings of an organisation', async () => {
    const settings = () => given.api.call(showOrganisationSettingsRoute, { query: { orgId: 'acme' } }, anOwner);
    await as('operator', async ({ post, get }) => {
      await post('/organisations/settings', { orgId: 'acme', ordered: 'true', ratePerSecond: '2.5' });
      expect(await settings()).to.include({ ordered: true, ratePerSecond: 2.5 });
      const refused = await post('/organisations/settings', { orgId: 'acme', ratePerSecond: 'fast' });
      expect([refused.status, refused.html]).to.satisfy(
        ([status, html]: [number, string]) => status === 400 && /ratePerSecond/i.test(html),
      );
      await post('/organisations/settings', { orgId: 'acme' });
      expect(await settings()).to.include({ ordered: false, ratePerSecond: null });
      expect((await get('/audit?orgId=acme')).html).to.include('admin:operator');
    });
  });

  it('make a link to the portal that is shown once', async () => {
    const { html, headers } = await as('operator', ({ post }) =>
      post('/organisations/portal-link', { orgId: 'acme', role: 'viewer' }),
    );
    expect(html).to.match(/\/portal\/open\?token=eyJ/);
    expect(headers.get('cache-control')).to.equal('no-store');
  });

  it('register, activate and deactivate a task with a reason', async () => {
    const task = async () => {
      await given.viewsCaughtUp();
      const { items } = await given.api.call(listTasksRoute, {}, anOwner);
      return items.find(({ orgId }) => orgId === 'tasked');
    };
    await as('operator', async ({ post }) => {
      await post('/tasks/register', { orgId: 'tasked', name: 'own' });
      expect(await task()).to.include({ state: 'registered', name: 'own' });
      await post('/tasks/activate', { orgId: 'tasked' });
      expect(await task()).to.include({ state: 'active' });
      await post('/tasks/deactivate', { orgId: 'tasked', reason: 'it has ended' });
      expect(await task()).to.include({ state: 'inactive', reason: 'it has ended' });
    });
  });

  it('revoke the sessions of a user', async () => {
    await appendSessionEvent(given.store, issued({ orgId: 'acme', userId: 'eve', sessionId: crypto.randomUUID() }), {
      at,
    });
    await given.viewsCaughtUp();
    await as('operator', ({ post }) => post('/sessions/revoke', { orgId: 'acme', userId: 'eve' }));
    await given.viewsCaughtUp();
    const stateOf = async (userId: string) =>
      new Set(
        (await given.api.call(listSessionsRoute, { query: { orgId: 'acme', userId } }, anOwner)).items.map(
          ({ state }) => state,
        ),
      );
    expect([...(await stateOf('eve'))]).to.deep.equal(['revoked']);
    expect([...(await stateOf('user-1'))]).to.deep.equal(['active']);
  });

  it('register a client, show its secret once, rotate it, and remove the client', async () => {
    const client = async () =>
      (await given.api.call(listClientsRoute, {}, anOwner)).items.find(({ clientId }) => clientId === 'platform');
    await as('owner', async ({ post, get }) => {
      const registered = await post('/clients/new', register);
      const [, secret = 'none'] = /<pre[^>]*><code>([^<]+)<\/code>/.exec(registered.html) ?? [];
      expect(secret).to.have.length.above(40);
      expect(registered.headers.get('cache-control')).to.equal('no-store');
      expect((await get('/clients/show?clientId=platform')).html).not.to.include(secret);
      await post('/clients/rotate-secret', { clientId: 'platform', overlapHours: '24' });
      expect((await client())?.secrets).to.have.length(2);
      await post('/clients/end-previous-secret', { clientId: 'platform' });
      expect((await client())?.secrets).to.have.length(1);
      await post('/clients/change', { ...register, name: 'Renamed' });
      expect(await client()).to.include({ name: 'Renamed' });
      await post('/clients/remove', { clientId: 'platform' });
      expect(await client()).to.equal(undefined);
      expect((await get('/clients/show?clientId=platform')).status).to.equal(404);
    });
  });

  it('subscribe a URL to operational events, with a secret that is shown once, and never to all flow events', async () => {
    await as('operator', async ({ post, get }) => {
      expect((await get('/operations')).html)
        .to.include('No URL is subscribed')
        .and.include('view.damaged');
      const form = { hookUrl: 'https://ops.example.com/a/secret', subscriptionType: 'listener.*', transform: 'type' };
      const { status, html } = await post('/operations/new', form);
      expect([status, html]).to.satisfy(([code, text]: [number, string]) => code === 200 && text.includes('whsec_'));
      const refused = await post('/operations/new', { ...form, subscriptionType: '*' });
      expect([refused.status, /operational event/.test(refused.html)]).to.deep.equal([400, true]);
      await given.viewsCaughtUp();
      const listed = (await get('/operations')).html;
      expect(listed).to.include('ops.example.com').and.include('listener.*').and.not.include('whsec_');
    });
  });

  it('create an API key that is shown once, for every organisation only on request, and revoke it', async () => {
    const keys = async () => {
      await given.viewsCaughtUp();
      return (await given.api.call(listApiKeysRoute, { query: {} }, anOwner)).items;
    };
    await as('owner', async ({ post, get }) => {
      const before = (await keys()).length;
      expect((await post('/api-keys/new', { name: 'erp', scopes: 'listeners:read' })).status).to.equal(400);
      expect((await post('/api-keys/new', { name: 'erp', orgId: 'acme' })).html).to.include('id="field-scopes-error"');
      expect((await post('/api-keys/new', { name: 'erp', orgId: 'acme' })).status).to.equal(400);
      expect(await keys()).to.have.length(before);
      const form = { name: 'erp', orgId: 'acme', scopes: 'listeners:read', expiresAt: '2030-01-01T00:00' };
      const { html } = await post('/api-keys/new', form);
      const [, text = 'none'] = /<pre[^>]*><code>([^<]+)<\/code>/.exec(html) ?? [];
      const created = (await keys()).find(({ name, orgId }) => name === 'erp' && orgId === 'acme');
      expect(created).to.deep.include({
        scopes: ['listeners:read'],
        state: 'active',
        expiresAt: '2030-01-01T00:00:00.000Z',
      });
      expect((await get('/api-keys')).html).not.to.include(text);
      await post('/api-keys/revoke', { id: created?.id ?? '' });
      expect((await keys()).find(({ id }) => id === created?.id)).to.include({
        state: 'revoked',
        revokedBy: 'admin:owner',
      });
    });
  });

  it('create one API key, however often the form is sent, and another for a changed form', async () => {
    const count = async () => {
      await given.viewsCaughtUp();
      return (await given.api.call(listApiKeysRoute, { query: { limit: '1000' } }, anOwner)).items.length;
    };
    await as('owner', async ({ post, get }) => {
      const [, once = ''] = /name="once" value="([^"]+)"/.exec((await get('/api-keys/new')).html) ?? [];
      const before = await count();
      const form = { name: 'twice', orgId: 'acme', scopes: 'listeners:read', once };
      const answers = await Promise.all([post('/api-keys/new', form), post('/api-keys/new', form)]);
      const shown = answers.map(({ html }) => /fhk_\w+/.exec(html)?.[0]);
      expect(new Set(shown).size, 'keys that are shown').to.equal(1);
      expect(await count()).to.equal(before + 1);
      await post('/api-keys/new', { ...form, name: 'another' });
      expect(await count()).to.equal(before + 2);
    });
  });

  it('refuse an API key for one organisation and every one', async () => {
    await as('owner', async ({ post }) => {
      const both = { name: 'erp', orgId: 'acme', everyOrganisation: 'true', scopes: 'listeners:read' };
      const { status, html } = await post('/api-keys/new', both);
      expect(status).to.equal(400);
      expect(html).to.include('not both').and.include('id="field-orgId-error"').and.not.to.match(/fhk_/);
    });
  });

  it('ask before they create an API key for an organisation that is not known, or erase one', async () => {
    await as('owner', async ({ post, get }) => {
      const form = { name: 'erp', orgId: 'acmee', scopes: 'listeners:read' };
      const { status, html } = await post('/api-keys/new', form);
      expect(status).to.equal(400);
      expect(html).to.include('The organisation “acmee” is not known').and.include('“acmee” is a new organisation');
      expect((await post('/api-keys/new', { ...form, newOrganisation: 'acme' })).status).to.equal(400);
      expect((await post('/api-keys/new', { ...form, newOrganisation: 'acmee' })).html).to.match(/fhk_/);
      await given.viewsCaughtUp();
      expect((await post('/api-keys/new', form)).status, 'it is known now').to.equal(200);
      expect((await get('/organisations/erase?orgId=acm')).html).to.include('This organisation is not known');
      expect((await get('/organisations/erase?orgId=acme')).html).not.to.include('is not known');
    });
  });

  it('erase an organisation only after its ID has been typed, and show how it ended', async () => {
    await appendListenerEvent(given.store, subscribed({ orgId: 'leaving', hookUrl: unusedUrl() }), { at });
    await given.viewsCaughtUp();
    const isKnown = async () => {
      await given.viewsCaughtUp();
      const { items } = await given.api.call(listOrganisationsRoute, { query: { prefix: 'leaving' } }, anOwner);
      return items.length === 1;
    };
    await as('owner', async ({ post, get }) => {
      const refused = await post('/organisations/erase', { orgId: 'leaving', confirm: 'leavin' });
      expect([refused.status, await isKnown()]).to.deep.equal([400, true]);
      const { headers } = await post('/organisations/erase', { orgId: 'leaving', confirm: 'leaving' });
      const path = String(headers.get('location')).replace('/console', '');
      await until(async () => (await get(path)).html.includes('The organisation has been erased.'), 'the erasure');
      expect(await isKnown()).to.equal(false);
      expect((await get('/organisations/erasures/unknown')).html).to.include('does not know this erasure');
    });
  });
});
