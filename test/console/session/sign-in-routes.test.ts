import { expect } from 'chai';
import { AuthorizationRefused, ProviderUnavailable } from '../../../src/access/errors.js';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import type { OperatorSignIn } from '../../../src/access/providers/operator-sign-in.js';
import type { Provider } from '../../../src/access/providers/provider.js';
import { operators } from '../../../src/console/operators.js';
import { consoleSessions } from '../../../src/console/session/console-sessions.js';
import type { Subject } from '../../../src/site/page-view.js';
import { siteRoutes } from '../../../src/site/site.js';
import { siteSettings } from '../../support/console/site-settings.js';
import { openBrowser } from '../../support/identity-provider/browser.js';
import { noLimits } from '../../support/service/no-limits.js';
import { serveRoutes } from '../../support/service/serve-routes.js';

const master = masterKeys(new Map([['g1', Buffer.alloc(32, 1)]]));
const providerOrigin = 'https://provider.example';
const openid = { issuer: providerOrigin, roles: { team: 'operator' }, signedInSince: undefined } as const;
const signedIn = (signedInMs: number): OperatorSignIn => ({
  actor: 'console:ada@example.com',
  issuer: providerOrigin,
  groups: ['team'],
  signedInMs,
});

/** A provider at which everybody is Ada. */
const provider: Provider<OperatorSignIn> = {
  issuer: providerOrigin,
  authorizationUrl: async ({ state, callback }, { otherAccount } = {}) =>
    new URL(
      `${providerOrigin}/authorize?${new URLSearchParams({ state, redirect_uri: callback, other: String(otherAccount) })}`,
    ),
  endSessionUrl: async () => new URL(`${providerOrigin}/logout`),
  async identify(answer) {
    const error = { denied: new AuthorizationRefused('access_denied', 'no'), down: new ProviderUnavailable('', '') };
    const code = answer.searchParams.get('code');
    if (code === 'denied' || code === 'down') throw error[code];
    return signedIn(Date.now());
  },
  check: async () => undefined,
  failure: () => undefined,
};

/** A console below a path, on plain HTTP, with a page. */
async function serveConsole() {
  const place = { base: '/console', publicPath: '', originOf: ({ host }: { host: string }) => `http://${host}` };
  const { routes, sessionOf, signIn } = operators({
    mode: 'production',
    publicUrl: 'http://hooks.example.com',
    place,
    card: { name: 'Test', stylesheets: [], scripts: [], icon: '', icons: '' },
    keys: { masterKeys: master, adminKeys: new Map() },
    limits: noLimits,
    provider,
    openid,
  });
  const greeting: Subject = (site) => {
    site.post('/page', async () => ({ redirect: '/console/page' }));
    site.get('/page', async ({ caller }) => ({ title: `Hello ${caller.actor}`, content: '' }));
  };
  return serveRoutes(...routes, siteRoutes(siteSettings({ ...place, sessionOf, signIn, subjects: [greeting] })));
}

describe('the sign-in of operators', () => {
  it('is neither begun nor ended by a HEAD', async () => {
    const { origin, close } = await serveConsole();
    try {
      const head = await fetch(`${origin}/console/openid`, { method: 'HEAD', redirect: 'manual' });
      expect([head.status, head.headers.get('set-cookie')]).to.deep.equal([200, null]);
      const begun = await fetch(`${origin}/console/openid`, { redirect: 'manual' });
      const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state');
      const headers = { cookie: (begun.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
      const callback = `${origin}/console/openid/callback?code=x&state=${state}`;
      const scanned = await fetch(callback, { method: 'HEAD', redirect: 'manual', headers });
      expect([scanned.status, scanned.headers.get('set-cookie')]).to.deep.equal([200, null]);
      expect((await fetch(callback, { redirect: 'manual', headers })).status).to.equal(303);
    } finally {
      await close();
    }
  });

  it('names the callback of the requested host to the provider, and comes back to the page', async () => {
    const { origin, close } = await serveConsole();
    try {
      const browser = openBrowser(providerOrigin);
      const sent = await browser.open(`${origin}/console/openid?to=/console/page?a=1`);
      expect(sent.url.searchParams.get('redirect_uri')).to.equal(`${origin}/console/openid/callback`);
      const state = sent.url.searchParams.get('state');
      const shown = await browser.open(`${origin}/console/openid/callback?code=x&state=${state}`);
      expect(shown.url.href).to.equal(`${origin}/console/page?a=1`);
      expect(shown.html).to.include('Hello console:ada@example.com');
      const again = await browser.open(`${origin}/console/openid/callback?code=x&state=${state}`);
      expect(again.status, 'the same answer again').to.equal(400);
      const other = await openBrowser().open(`${origin}/console/openid/callback?code=x&state=${state}`);
      expect(other.status, 'in another browser').to.equal(400);
    } finally {
      await close();
    }
  });

  it('leaves no cookie of a sign-in that was refused, and keeps that of one that a reload may complete', async () => {
    const { origin, close } = await serveConsole();
    try {
      const browser = openBrowser(providerOrigin);
      const sent = await browser.open(`${origin}/console/openid`);
      const answer = (code: string) =>
        browser.open(`${origin}/console/openid/callback?code=${code}&state=${sent.url.searchParams.get('state')}`);
      expect((await answer('down')).status).to.equal(503);
      expect(browser.cookiesFor(origin).size).to.equal(1);
      expect((await answer('denied')).status).to.equal(403);
      expect(browser.cookiesFor(origin).size).to.equal(0);
    } finally {
      await close();
    }
  });

  it('offers another account after a refusal, and the sign-out of the provider then and after signing out', async () => {
    const { origin, close } = await serveConsole();
    try {
      const browser = openBrowser(providerOrigin);
      const sent = await browser.open(`${origin}/console/openid`);
      expect(sent.url.searchParams.get('other')).to.equal('false');
      const answer = `code=denied&state=${sent.url.searchParams.get('state')}`;
      const refused = await browser.open(`${origin}/console/openid/callback?${answer}`);
      expect(refused.html).to.include(`href="${providerOrigin}/logout"`);
      const [, href = ''] = /href="([^"]*)"[^>]*>\s*Sign in with another company account/.exec(refused.html) ?? [];
      expect((await browser.open(new URL(href, origin))).url.searchParams.get('other')).to.equal('true');
      const signedOut = await browser.open(`${origin}/console/sign-in?notice=signed-out`);
      expect(signedOut.html).to.include(`href="${providerOrigin}/logout"`);
      expect((await browser.open(`${origin}/console/sign-in`)).html).not.to.include('/logout');
    } finally {
      await close();
    }
  });

  it('asks the provider again, without a page in between, when the session of its user has expired', async () => {
    const { origin, close } = await serveConsole();
    try {
      const hourAgo = consoleSessions({
        masterKeys: master,
        now: () => new Date(Date.now() - 3_700_000),
        adminKeys: new Map(),
        provider: openid,
        secure: false,
      });
      let cookie = '';
      const ctx = { append: (_: string, value: string) => (cookie = value) } as never; // all that it is asked for
      await hourAgo.beginWithProvider(ctx, signedIn(Date.now() - 3_700_000));
      const open = (headers: Readonly<Record<string, string>>, method = 'GET') =>
        fetch(`${origin}/console/page?a=1`, { redirect: 'manual', method, headers });
      const expired = await open({ cookie: cookie.split(';')[0] ?? '' });
      expect(expired.headers.get('location')).to.equal('/console/openid?to=%2Fconsole%2Fpage%3Fa%3D1');
      expect((await open({})).headers.get('location')).to.equal('/console/sign-in?to=%2Fconsole%2Fpage%3Fa%3D1');
      // The policy `form-action 'self'` keeps browsers from following the answer to a form to the provider: a button would do nothing.
      const form = await open({ cookie: cookie.split(';')[0] ?? '' }, 'POST');
      expect(form.headers.get('location')).to.equal('/console/sign-in');
    } finally {
      await close();
    }
  });

  it('leads a form whose session has ended to the sign-in, and back to its page, not to another site', async () => {
    const { origin, close } = await serveConsole();
    try {
      const send = async (referer: string) => {
        const sent = { method: 'POST', redirect: 'manual', headers: { referer } } as const;
        return (await fetch(`${origin}/console/page`, sent)).headers.get('location');
      };
      expect(await send(`${origin}/console/form?a=1`)).to.equal('/console/sign-in?to=%2Fconsole%2Fform%3Fa%3D1');
      expect(await send('https://evil.example//evil.example/console/')).to.equal('/console/sign-in');
      expect(await send('no URL')).to.equal('/console/sign-in');
    } finally {
      await close();
    }
  });
});
