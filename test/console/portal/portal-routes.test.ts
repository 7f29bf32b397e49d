import { expect } from 'chai';
import { declareEventTypeRoute } from '../../../src/admin/api/contracts/event-types.js';
import {
  createPortalLinkRoute,
  showOrganisationSettingsRoute,
} from '../../../src/admin/api/contracts/organisations.js';
import { activateTaskRoute, registerTaskRoute } from '../../../src/admin/api/contracts/tasks.js';
import { scannedStreams } from '../../../src/audit/find-streams.js';
import { auditHistory, historyCategories } from '../../../src/audit/history.js';
import { Forbidden } from '../../../src/http/errors.js';
import { anOwner, limitedTo } from '../../admin/api/given-organisation.js';
import { appendListenerEvent } from '../../audit/append-events.js';
import { subscribed } from '../../listeners/fixtures.js';
import { type GivenOperations, givenOperations } from '../../support/admin/given-operations.js';
import { rejection } from '../../support/rejection.js';
import { type Answer, linkToken, openedCookie, visitor, withPortal } from './given-portal.js';

const listenerId = '11111111-1111-4111-8111-111111111111';

describe('the portal', function () {
  this.timeout(60_000);
  let given: GivenOperations;

  before(async () => {
    given = await givenOperations();
    await appendListenerEvent(given.store, subscribed({ orgId: 'acme', listenerId }), { at: new Date() });
    await given.viewsCaughtUp();
  });
  after(() => given.stop());

  const link = { orgId: 'acme', role: 'operator' as const, actor: 'portal:ada', sessionMs: 3_600_000 };
  const colours = { light: '#0b57d0', dark: '#a8c7fa' };

  it('exchanges the token of a link for a session, and leads to a URL without it', () =>
    withPortal(given, {}, async ({ access, send }) => {
      const token = await linkToken(access, link);
      const { status, headers } = await send(`/portal/open?token=${token}`);
      expect([status, headers.get('location')]).to.deep.equal([303, '/portal']);
      expect(headers.get('referrer-policy')).to.equal('no-referrer');
      expect(headers.get('cache-control')).to.equal('no-store');
      const cookie = String(headers.get('set-cookie'));
      expect(cookie).to.match(/^portal=[\w.-]+; Max-Age=3600; Path=\/; HttpOnly; SameSite=Lax$/);
      expect(cookie).not.to.include(token);
      const page = await send('/portal', { headers: { cookie: cookie.split(';')[0] ?? '' } });
      expect(page.html).to.include('Example Company').and.to.include('ada');
    }));

  describe('opened by a link', () => {
    const cookieOf = ({ headers }: Answer) => (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const globex = { ...link, orgId: 'globex' };

    it('has one session, which a reload with its cookie continues, also when the link has expired', async () => {
      let now = new Date();
      await withPortal(
        given,
        {},
        async ({ access, send }) => {
          const token = await linkToken(access, link, 3_000);
          const first = await send(`/portal/open?token=${token}`);
          expect(first.status).to.equal(303);
          const cookie = cookieOf(first);
          for (const headers of [{}, { cookie: await openedCookie(access, link) }] as Record<string, string>[]) {
            const second = await send(`/portal/open?token=${token}`, { headers });
            expect([second.status, second.headers.get('set-cookie')]).to.deep.equal([403, null]);
            expect(second.html).to.include('has been used');
          }
          now = new Date(now.getTime() + 3_000);
          const reloaded = await send(`/portal/open?token=${token}`, { headers: { cookie } });
          expect([reloaded.status, reloaded.headers.get('location')]).to.deep.equal([303, '/portal']);
          expect(reloaded.headers.get('set-cookie')).to.equal(null);
          expect((await send('/portal', { headers: { cookie } })).status).to.equal(200);
        },
        () => now,
      );
    });

    it('has one session also if several requests open the link at the same time, on several instances', () =>
      withPortal(given, {}, async (one) => {
        await withPortal(given, {}, async (other) => {
          const path = `/portal/open?token=${await linkToken(one.access, link)}`;
          const answers = await Promise.all([one, other, one, other, one].map(({ send }) => send(path)));
          expect(answers.map(({ status }) => status).sort()).to.deep.equal([303, 403, 403, 403, 403]);
          const cookie = answers.map(cookieOf).find((each) => each !== '') ?? '';
          for (const { send } of [one, other])
            expect((await send('/portal', { headers: { cookie } })).status).to.equal(200);
        });
      }));

    it('ends with signing out: neither its cookie nor its link is of use then', () =>
      withPortal(given, {}, async ({ access, origin, send }) => {
        const path = `/portal/open?token=${await linkToken(access, link)}`;
        const cookie = cookieOf(await send(path));
        await send('/portal/sign-out', { method: 'POST', headers: { cookie, origin } });
        expect((await send('/portal', { headers: { cookie } })).status).to.equal(401);
        expect((await send(path, { headers: { cookie } })).status).to.equal(403);
      }));

    it('is left unused by a HEAD, which previews and scanners of links send', () =>
      withPortal(given, {}, async ({ access, send }) => {
        const path = `/portal/open?token=${await linkToken(access, link)}`;
        const end = await given.store.head();
        const scanned = await send(path, { method: 'HEAD' });
        expect([scanned.status, scanned.headers.get('set-cookie')]).to.deep.equal([200, null]);
        expect(await given.store.head()).to.equal(end);
        expect((await send(path)).status).to.equal(303);
      }));

    it('asks before another site replaces the session of another organisation', () =>
      withPortal(given, {}, async ({ access, origin, send }) => {
        const cookie = await openedCookie(access, link);
        const token = await linkToken(access, globex);
        for (const from of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, {}]) {
          const asked = await send(`/portal/open?token=${token}`, { headers: { cookie, ...from } as HeadersInit });
          expect([asked.status, asked.headers.get('set-cookie')]).to.deep.equal([200, null]);
          expect(asked.html).to.include('Open globex?').and.to.include('Stay with acme');
          expect(asked.headers.get('referrer-policy')).to.equal('same-origin');
        }
        const answer = (headers: HeadersInit) =>
          send('/portal/open', { method: 'POST', headers, body: new URLSearchParams({ token }) });
        expect((await answer({ cookie, origin: 'https://evil.example' })).status).to.equal(403);
        const opened = await answer({ cookie, origin });
        expect(opened.status).to.equal(303);
        expect((await send('/portal', { headers: { cookie: cookieOf(opened) } })).html).to.include('globex');
      }));

    it('does not ask the user who opens the link of another organisation, nor about one of the same', () =>
      withPortal(given, {}, async ({ access, send }) => {
        const cookie = await openedCookie(access, link);
        const visits = [
          [globex, { 'sec-fetch-site': 'none' }],
          [globex, { 'sec-fetch-site': 'same-origin' }],
          [link, { 'sec-fetch-site': 'cross-site' }],
        ] as const;
        for (const [grant, from] of visits) {
          const token = await linkToken(access, grant);
          expect((await send(`/portal/open?token=${token}`, { headers: { cookie, ...from } })).status).to.equal(303);
        }
      }));
  });

  it('shows a searched URL to visitors of the organisation that searched for it alone', () =>
    withPortal(given, {}, async (client) => {
      const [acme, globex] = await Promise.all([visitor(client, 'acme'), visitor(client, 'globex')]);
      const { headers } = await acme.post('/listeners', { url: 'https://hooks.example.com/a-secret-path' });
      const page = (headers.get('location') ?? '').replace(/^\/portal/, '');
      expect(page).to.match(/search=[\w-]{22}/);
      expect((await (await visitor(client, 'acme')).get(page)).html).to.include('a-secret-path');
      const other = await globex.get(page);
      expect(other.html).to.include('This search has expired').and.not.to.include('a-secret-path');
    }));

  it('lets a viewer try an event with a listener, and proposes no declared type of the service', async () => {
    const declared = { name: 'flow.completed', description: 'done', example: { internal: 'secret' } };
    await given.api.call(declareEventTypeRoute, { body: declared }, anOwner);
    await given.viewsCaughtUp();
    await withPortal(given, {}, async (client) => {
      const { get, post } = await visitor(client, 'acme', 'viewer');
      expect((await get(`/listeners/${listenerId}`)).html).to.include('None: each event as it is');
      const { status, html } = await get(`/listeners/${listenerId}/try`);
      expect(status).to.equal(200);
      expect(html).to.include('A sample flow').and.not.to.include('secret');
      const tried = await post(`/listeners/${listenerId}/try`, { type: 'flow.completed', data: '{"total":42}' });
      expect(tried.html).to.include('The listener would receive this body.');
    });
  });

  it('lets customers change only what the settings say, and operators of theirs', async () => {
    for (const route of [registerTaskRoute, activateTaskRoute] as const)
      await given.api.call(route, { body: {} }, anOwner);
    const form = { hookUrl: 'https://hooks.example.com/own', subscriptionType: 'flow.*', filter: '{"data.total": 1}' };
    for (const [actions, role, expected] of [
      [['pause', 'rotate-secret'], 'operator', 403],
      [['register'], 'viewer', 403],
      [['register'], 'operator', 200],
    ] as const) {
      await withPortal(given, { actions }, async (client) => {
        const { get, post } = await visitor(client, 'acme', role);
        const hasLink = (await get('/listeners')).html.includes('/portal/listeners/new');
        expect(hasLink).to.equal(expected === 200);
        for (const path of ['/listeners/new', `/listeners/${listenerId}/edit`])
          expect((await get(path)).status, path).to.equal(expected);
        expect((await post('/listeners/new', form)).status).to.equal(expected);
        const { html } = await get(`/listeners/${listenerId}`);
        expect(html.includes('Rotate secret')).to.equal(expected === 403 && role === 'operator');
        if (expected === 200) expect((await post(`/listeners/${listenerId}/pause`, {})).status).to.equal(403);
      });
    }
  });

  it('sets a partitioned cookie over https, which frames of other sites may carry', () =>
    withPortal(given, { secure: true }, async ({ access, send }) => {
      const { headers } = await send(`/portal/open?token=${await linkToken(access, link)}`);
      expect(headers.get('set-cookie')).to.match(
        /^__Host-portal=[\w.-]+; Max-Age=3600; Path=\/; HttpOnly; Secure; SameSite=None; Partitioned$/,
      );
    }));

  it('refuses a token that is none, and a request without a session', () =>
    withPortal(given, {}, async ({ access, send }) => {
      const session = (await openedCookie(access, link)).slice('portal='.length);
      for (const token of ['', 'nonsense', session]) {
        const { status, html, headers } = await send(`/portal/open?token=${token}`);
        expect([status, headers.get('set-cookie')]).to.deep.equal([403, null]);
        expect(html).to.include('This link has expired');
      }
      for (const cookie of ['', 'portal=', 'portal=nonsense', `portal=${await linkToken(access, link)}`]) {
        const { status, html } = await send('/portal/listeners', { headers: { cookie } });
        expect([status, html.includes('Your session has ended')]).to.deep.equal([401, true]);
      }
    }));

  it('may be embedded by the configured origins only', async () => {
    const origins = ['https://app.example.com', 'https://*.example.org'];
    await withPortal(given, { origins }, async (client) => {
      const { headers } = await (await visitor(client, 'acme')).get('/');
      expect(headers.get('content-security-policy')).to.match(
        /frame-ancestors https:\/\/app\.example\.com https:\/\/\*\.example\.org$/,
      );
      expect(headers.get('x-frame-options')).to.equal(null);
    });
    await withPortal(given, {}, async (client) => {
      const { headers } = await (await visitor(client, 'acme')).get('/');
      expect(headers.get('content-security-policy')).to.include("frame-ancestors 'none'");
      expect(headers.get('x-frame-options')).to.equal('DENY');
    });
  });

  it('has its own colours in a stylesheet of this origin', () =>
    withPortal(given, { colours }, async (client) => {
      const { html } = await (await visitor(client, 'acme')).get('/');
      const [, path = ''] = /href="(\/portal\/theme\/[\w-]+\.css)"/.exec(html) ?? [];
      const { html: css, headers } = await client.send(path);
      expect(css).to.include('--accent:#0b57d0');
      expect(headers.get('content-type')).to.match(/^text\/css/);
      expect(headers.get('cache-control')).to.include('immutable');
    }));

  it('shows the attempts of each of the last 30 days, and the listeners that are paused', () =>
    withPortal(given, {}, async (client) => {
      const { html } = await (await visitor(client, 'acme', 'viewer')).get('/');
      expect(html.match(/<th scope="row">/g)).to.have.length(30);
      expect(html).to.match(/\d paused, \d in trouble/);
    }));

  it('names the user in the history', () =>
    withPortal(given, {}, async (client) => {
      const { post } = await visitor(client, 'acme');
      expect((await post(`/listeners/${listenerId}/pause`)).status).to.equal(303);
      const findStreams = scannedStreams(given.store, historyCategories);
      const last = (await auditHistory(given.store, findStreams, { orgId: 'acme' })).at(-1);
      expect(last).to.include({ type: 'ListenerPaused', actor: 'portal:acme-user' });
    }));

  it('accepts forms of its own pages only, and ends the session by a form', () =>
    withPortal(given, {}, async (client) => {
      const cookie = await openedCookie(client.access, link);
      const path = `/portal/listeners/${listenerId}/resume`;
      for (const headers of [{}, { origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }] as Record<
        string,
        string
      >[]) {
        const { status } = await client.send(path, { method: 'POST', headers: { cookie, ...headers } });
        expect(status, JSON.stringify(headers)).to.equal(403);
      }
      const foreign = await client.send('/portal/sign-out', {
        method: 'POST',
        headers: { cookie, origin: 'https://evil.example' },
      });
      expect([foreign.status, foreign.headers.get('set-cookie')]).to.deep.equal([403, null]);
      const { html, headers } = await (await visitor(client, 'acme')).post('/sign-out');
      expect(html).to.include('You have signed out');
      expect(headers.get('set-cookie')).to.match(/^portal=; Max-Age=0;/);
    }));

  it('is opened by links that only the admin API makes, never a session of the portal', async () => {
    const began = Date.now();
    const { url, expiresAt } = await given.api.call(
      createPortalLinkRoute,
      { body: { orgId: 'acme', expiresInSeconds: 60 } },
      anOwner,
    );
    expect(url).to.match(/^https?:\/\/[^/]+\/portal\/open\?token=ey/);
    expect(Date.parse(expiresAt)).to.be.within(began + 60_000, Date.now() + 60_000);
    const fromPortal = given.api.call(createPortalLinkRoute, { body: { orgId: 'acme' } }, limitedTo('acme'));
    expect(await rejection(fromPortal)).to.be.instanceOf(Forbidden);
    const settings = { query: { orgId: 'acme' } };
    expect(await given.api.call(showOrganisationSettingsRoute, settings, limitedTo('acme'))).to.include({
      orgId: 'acme',
    });
  });
});
