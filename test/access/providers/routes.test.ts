import Router from '@koa/router';
import { expect } from 'chai';
import { AuthorizationRefused, ProviderUnavailable } from '../../../src/access/errors.js';
import type { RequestState, Routes } from '../../../src/http/context.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { type Browser, openBrowser, type Page } from '../../support/identity-provider/browser.js';
import { withOtherEnd } from '../../support/identity-provider/with-other-end.js';
import type { Served } from '../../support/service/serve-routes.js';
import { ada, type Shared, sharedByInstances, startInstance, zapier } from './sign-in-instance.js';

describe('the routes of sign-in with an identity provider', () => {
  let shared: Shared;
  let one: Served;
  let other: Served;
  let browser: Browser;
  beforeEach(async () => {
    shared = await sharedByInstances();
    [one, other] = await Promise.all([startInstance(shared), startInstance(shared)]);
    browser = openBrowser('https://platform.example/', 'https://id.example/');
  });
  afterEach(async () => {
    await Promise.all([one.close(), other.close()]);
    await shared.store.close();
  });

  const link = (changes: Readonly<Record<string, string>> = {}) =>
    `${one.origin}/oauth2?${new URLSearchParams({
      response_type: 'code',
      client_id: 'zapier',
      redirect_uri: 'https://platform.example/callback',
      state: 'xyz',
      ...changes,
    })}`;
  /** Begins a sign-in; returns the URL to which the provider sends the user back. */
  async function begin(changes = {}, answeredBy = one): Promise<string> {
    const { url } = await browser.open(link(changes));
    return `${answeredBy.origin}/oauth2/callback?code=c&state=${url.searchParams.get('state')}`;
  }
  const answerOf = ({ url }: Page) => Object.fromEntries(url.searchParams);
  const begun = () => [...browser.cookiesFor(one.origin)];

  it('keep nothing on an instance: each step may come to another one', async () => {
    shared.user = ada('acme', 'globex');
    const choice = await browser.open(await begin({}, other));
    const elsewhere = (page: Page, to: Served): Page => ({ ...page, url: new URL(page.url.pathname, to.origin) });
    const consent = await browser.submit(elsewhere(choice, one), { organisation: 'globex' });
    const { code = '' } = answerOf(await browser.submit(elsewhere(consent, other), { decision: 'allow' }));
    expect(await shared.codes.verification.verify(code)).to.include({ userId: 'ada', orgId: 'globex' });
  });

  it('begin and end nothing for a HEAD, which previews and scanners of links send', async () => {
    const head = await fetch(link(), { method: 'HEAD', redirect: 'manual' });
    expect([head.status, head.headers.get('set-cookie'), head.headers.get('location')]).to.deep.equal([
      200,
      null,
      null,
    ]);
    const callback = await begin();
    const cookie = begun()
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
    const scanned = await fetch(callback, { method: 'HEAD', redirect: 'manual', headers: { cookie } });
    expect([scanned.status, scanned.headers.get('set-cookie')]).to.deep.equal([200, null]);
    expect((await browser.open(callback)).html).to.include('Connect Zap &amp; Co?');
  });

  it('bind the code to the challenge of the platform', async () => {
    const code_challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    const consent = await browser.open(await begin({ code_challenge, code_challenge_method: 'S256' }));
    const { code = '' } = answerOf(await browser.submit(consent, { decision: 'allow' }));
    const codeVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    await shared.codes.verification.verify(code, { codeVerifier });
    const refused = await shared.codes.verification.verify(code, { codeVerifier: 'x' }).catch((error: Error) => error);
    expect(refused).to.be.instanceOf(Error);
  });

  it('bind the code to the resource of the platform, and refuse one that is unknown (RFC 8707)', async () => {
    const consent = await browser.open(await begin({ resource: `${shared.issuer}/mcp` }));
    const { code = '' } = answerOf(await browser.submit(consent, { decision: 'allow' }));
    expect(await shared.codes.verification.verify(code)).to.include({ resource: `${shared.issuer}/mcp` });
    const refused = await browser.open(link({ resource: 'https://other.example/mcp' }));
    expect(answerOf(refused)).to.include({ error: 'invalid_target', state: 'xyz', iss: shared.issuer });
  });

  describe('for a client that has a document', () => {
    const clientId = 'https://agent.example/client.json';
    const agent = { client_id: clientId, code_challenge_method: 'S256', scope: 'listeners' };
    const code_challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
    const redirect_uri = 'http://127.0.0.1:5555/callback';
    beforeEach(() => {
      const redirectUris = ['http://127.0.0.1/callback'];
      const described = { clientId, name: 'Zap & Co', type: 'public' as const, redirectUris, secrets: [] };
      shared.clients.set(clientId, { ...zapier, ...described });
      browser = openBrowser('http://127.0.0.1:5555/', 'https://id.example/');
    });

    it('show the hosts of the document and of the redirect URI at each consent', async () => {
      for (let time = 0; time < 2; time += 1) {
        const consent = await browser.open(await begin({ ...agent, code_challenge, redirect_uri }));
        expect(consent.html)
          .to.include('Connect Zap &amp; Co?')
          .and.to.include('<strong>agent.example</strong>')
          .and.to.include('<strong>127.0.0.1:5555</strong>');
        const answer = await browser.submit(consent, { decision: 'allow' });
        expect(answer.url.href).to.match(/^http:\/\/127\.0\.0\.1:5555\/callback\?code=/);
        expect(answerOf(answer)).to.include({ iss: shared.issuer });
      }
    });

    it('require a challenge, and a redirect URI of the document', async () => {
      const bare = answerOf(await browser.open(link({ client_id: clientId, redirect_uri })));
      expect(bare).to.include({ error: 'invalid_request', iss: shared.issuer });
      const foreign = await browser.open(link({ ...agent, code_challenge, redirect_uri: 'https://evil.example/' }));
      expect(foreign.status).to.equal(400);
    });
  });

  it('show an error and redirect nothing while the redirect URI is not known to be that of the client', async () => {
    const page = await browser.open(link({ redirect_uri: 'https://evil.example/<script>' }));
    expect(page.status).to.equal(400);
    expect(page.html).to.include('the redirect_uri is not registered for Zap &amp; Co').and.to.not.include('<script');
    const response = await fetch(link({ client_id: 'x' }), { headers: { accept: 'application/json' } });
    expect(response.status).to.equal(400);
    expect(await response.json()).to.include({ error: 'invalid_request' });
  });

  it('show their failures as pages, and leave those of other routes as they are', async () => {
    const others: Routes = new Router<RequestState>();
    others.post('/refresh', () => {
      throw new StoreUnavailable('the disk is full');
    });
    const { origin, close } = await startInstance(shared, undefined, [others]);
    for (const accept of ['text/html,*/*;q=0.8', '*/*']) {
      const { status, headers } = await fetch(`${origin}/refresh`, { method: 'POST', headers: { accept } });
      expect([status, headers.get('content-type')], accept).to.deep.equal([503, 'application/json; charset=utf-8']);
    }
    const page = await fetch(`${origin}/oauth2/callback`, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    const answer = await fetch(`${origin}/oauth2/callback`);
    expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    await close();
  });

  it('tell the platform about its other mistakes at once, with its state and our issuer', async () => {
    const answer = answerOf(await browser.open(link({ scope: 'admin' })));
    expect(answer).to.deep.equal({
      error: 'invalid_scope',
      error_description: 'the client may request: listeners flows:publish',
      state: 'xyz',
      iss: 'https://hooks.example.com',
    });
    expect(begun()).to.deep.equal([]);
  });

  it('refuse the same answer of the provider a second time, also while a page asks the user', async () => {
    const first = await begin();
    const consent = await browser.open(first);
    expect((await browser.open(first)).status, 'while the page asks').to.equal(400);
    expect(answerOf(await browser.submit(consent, { decision: 'allow' }))).to.have.property('code');
    expect((await browser.open(first)).status).to.equal(400);
    const again = await begin();
    expect(answerOf(await browser.open(again)), 'consent was given').to.have.property('code');
    const repeated = await browser.open(again);
    expect(repeated.status).to.equal(400);
    expect(repeated.html).to.include('This sign-in has ended');
  });

  it('refuse an answer that another browser began, or none', async () => {
    const callback = await begin();
    const stranger = openBrowser('https://platform.example/', 'https://id.example/');
    expect((await stranger.open(callback)).status).to.equal(400);
    await stranger.open(link());
    expect((await stranger.open(callback)).status, 'with its own sign-in').to.equal(400);
    expect((await stranger.open(`${one.origin}/oauth2/callback`)).status).to.equal(400);
    expect((await browser.open(`${callback}x`)).status, 'with a longer state').to.equal(400);
  });

  it('refuse a cookie that was changed, or that is of another step', async () => {
    const callback = await begin();
    const [[name = '', value = ''] = []] = begun();
    const send = (cookie: string) => fetch(callback, { redirect: 'manual', headers: { cookie } });
    expect((await send(`${name}=${value}`)).status).to.equal(200);
    expect((await send(`${name}=${withOtherEnd(value)}`)).status).to.equal(400);
    const sealed = /name="sealed" value="([^"]*)"/.exec(await (await send(`${name}=${value}`)).text())?.[1] ?? '';
    expect(sealed).to.have.length.above(100);
    expect((await send(`${name}=${sealed}`)).status).to.equal(400);
    expect(value).to.not.include('platform');
  });

  it('refuse a sign-in that takes longer than ten minutes, at each step', async () => {
    const late = await begin();
    shared.wait(10 * 60_000);
    expect((await browser.open(late)).status).to.equal(400);
    const consent = await browser.open(await begin());
    shared.wait(10 * 60_000);
    expect((await browser.submit(consent, { decision: 'allow' })).status).to.equal(400);
  });

  it('take forms only from their own pages, of this browser, about this sign-in', async () => {
    shared.user = ada('acme', 'globex');
    const choice = await browser.open(await begin());
    const refused = async (fields: Readonly<Record<string, string>>, changes = {}, from = browser) =>
      expect((await from.submit(choice, fields, changes)).status).to.equal(400);
    await refused({ organisation: 'acme' }, { origin: 'https://evil.example' });
    await refused({ organisation: 'acme' }, { origin: 'null' });
    await refused({ organisation: 'acme' }, { origin: '' });
    await refused({ organisation: 'initech' });
    await refused({});
    await refused({ organisation: 'acme' }, { fields: { sealed: 'x' } });
    await refused({ organisation: 'acme' }, {}, openBrowser());
    const sealed = /name="sealed" value="([^"]*)"/.exec(choice.html)?.[1] ?? '';
    const [[name] = []] = begun();
    const withCookie = await fetch(`${one.origin}/oauth2/organisation`, {
      method: 'POST',
      body: new URLSearchParams({ sealed, organisation: 'acme' }),
      headers: { origin: one.origin, cookie: `${name}=another` },
    });
    expect(withCookie.status, 'with a cookie of another value').to.equal(400);
    const consent = { ...choice, html: choice.html.replace('action="organisation"', 'action="consent"') };
    expect((await browser.submit(consent, { decision: 'allow' })).status, 'consent before the choice').to.equal(400);
    expect((await browser.submit(choice, { organisation: 'acme' })).html).to.include('In ACME');
  });

  it('refuse a form after its sign-in has ended', async () => {
    const consent = await browser.open(await begin());
    expect(answerOf(await browser.submit(consent, { decision: 'deny' }))).to.include({ error: 'access_denied' });
    expect((await browser.submit(consent, { decision: 'allow' })).status).to.equal(400);
    expect(begun()).to.deep.equal([]);
  });

  it('show pages that load and run nothing, cannot be framed, and whose forms lead only to https', async () => {
    const { headers, html } = await browser.open(await begin());
    expect(headers.get('content-security-policy')).to.match(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' https:; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers.get('x-frame-options')).to.equal('DENY'); // RFC 9700 §4.16: for browsers without CSP level 2
    expect(headers.get('referrer-policy')).to.equal('same-origin');
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(html).to.not.match(/<script|<link|<img|style=|\son\w+=/);
  });

  it('answer a form with 303, so that browsers do not repeat it at the platform, and keep the code out of Referer', async () => {
    const consent = await browser.open(await begin());
    const sealed = /name="sealed" value="([^"]*)"/.exec(consent.html)?.[1] ?? '';
    const { status, headers } = await fetch(`${one.origin}/oauth2/consent`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ sealed, decision: 'allow' }),
      headers: {
        origin: one.origin,
        cookie: begun()
          .map((pair) => pair.join('='))
          .join('; '),
      },
    });
    expect(status).to.equal(303);
    expect(headers.get('location')).to.match(/^https:\/\/platform\.example\/callback\?code=/);
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
    expect(headers.get('access-control-allow-origin')).to.equal(null);
  });

  it('escape names from the provider and from operators', async () => {
    const evil = `"><script>alert('&')</script>`;
    shared.user = {
      userId: 'ada',
      displayName: evil,
      organisations: [
        { id: evil, name: evil },
        { id: 'b', name: 'b' },
      ],
    };
    shared.clients.set('zapier', { ...zapier, name: evil });
    const choice = await browser.open(await begin());
    const consent = await browser.submit(choice, { organisation: evil });
    for (const { html } of [choice, consent]) {
      expect(html).to.include('&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;').and.to.not.include('<script');
    }
  });

  it("pass on the provider's answer, and end the sign-in", async () => {
    shared.user = new AuthorizationRefused('temporarily_unavailable', 'later');
    const answer = answerOf(await browser.open(await begin()));
    expect(answer).to.include({ error: 'temporarily_unavailable', error_description: 'later', state: 'xyz' });
    expect(begun()).to.deep.equal([]);
  });

  it('let the user repeat the last step while the provider is down', async () => {
    const callback = await begin();
    shared.user = new ProviderUnavailable('https://id.example', new Error('down'));
    const page = await browser.open(callback);
    expect(page.status).to.equal(503);
    expect(Number(page.headers.get('retry-after'))).to.be.above(0);
    const response = await fetch(callback, {
      headers: {
        accept: 'application/json',
        cookie: begun()
          .map((pair) => pair.join('='))
          .join('; '),
      },
    });
    expect(await response.json()).to.include({ error: 'identity_provider_unavailable' });
    shared.user = ada('acme');
    expect((await browser.open(callback)).html).to.include('In ACME');
  });

  it('give no code if an operator has removed the client, a redirect URI or a scope in the meantime', async () => {
    const consent = await browser.open(await begin());
    shared.clients.set('zapier', { ...zapier, scopes: ['listeners'] });
    expect(answerOf(await browser.submit(consent, { decision: 'allow' }))).to.include({ error: 'invalid_scope' });
    for (const changed of [{ ...zapier, redirectUris: ['https://platform.example/new'] }, undefined]) {
      shared.clients.set('zapier', zapier);
      const callback = await begin();
      if (changed) shared.clients.set('zapier', changed);
      else shared.clients.clear();
      expect((await browser.open(callback)).status).to.equal(400);
    }
  });

  it('ask again for scopes that were not agreed to', async () => {
    await browser.submit(await browser.open(await begin({ scope: 'listeners' })), { decision: 'allow' });
    expect(answerOf(await browser.open(await begin({ scope: 'listeners' })))).to.have.property('code');
    expect((await browser.open(await begin({ scope: 'listeners flows:publish' }))).html).to.include(
      'publish flow events',
    );
  });

  it('keep the cookies of many sign-ins small enough for a request, and the latest ones work', async () => {
    const callbacks: string[] = [];
    for (let count = 0; count < 12; count += 1) callbacks.push(await begin({ state: 's'.repeat(900) }));
    const header = begun()
      .map((pair) => pair.join('='))
      .join('; ');
    expect(header.length).to.be.below(6_200);
    expect((await browser.open(callbacks.at(-1) ?? '')).status).to.equal(200);
    expect((await browser.open(callbacks.at(-2) ?? '')).status).to.equal(200);
    expect((await browser.open(callbacks[0] ?? '')).status).to.equal(400);
    expect(answerOf(await browser.open(link({ state: 's'.repeat(4_000) })))).to.include({ error: 'invalid_request' });
  });

  it('ask accounts of very many organisations too', async () => {
    shared.user = ada(...Array.from({ length: 200 }, (_, index) => `organisation-${index}`));
    expect((await browser.open(await begin())).html).to.include('organisation-199');
  });

  it('leave hosts without a provider to other routes', async () => {
    const response = await fetch(link(), { headers: { 'x-host': 'other.example' } });
    expect(response.status).to.equal(404);
  });
});

describe('the addresses and cookies of sign-in behind https', () => {
  let shared: Shared;
  let instance: Served;
  before(async () => {
    shared = await sharedByInstances();
    instance = await startInstance(shared, 'https://hooks.example.com/base');
  });
  after(async () => {
    await instance.close();
    await shared.store.close();
  });

  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'zapier',
    redirect_uri: 'https://platform.example/callback',
  });
  const ask = (host: string) =>
    fetch(`${instance.origin}/oauth2?${query}`, { redirect: 'manual', headers: { 'x-host': host } });

  it('are those of the host that the browser asked, and no other site can set or read the cookie', async () => {
    const cookie = (await ask('a.example.com')).headers.get('set-cookie');
    expect(cookie).to.match(/^__Host-sign-in-[\w-]{16}=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
  });

  it('are refused for a Host header that is no host', async () => {
    for (const host of ['evil.example/path', 'user@evil.example', 'evil.example?x', 'a b', '[::1']) {
      expect((await ask(host)).status, host).to.equal(400);
    }
    for (const host of ['A.example.com', 'a.example.com:443', 'a.example.com:8443', '[::1]:8443']) {
      expect((await ask(host)).status, host).to.equal(302);
    }
  });
});
