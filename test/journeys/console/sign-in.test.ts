import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { tokenPageOf } from '../../../src/cli/connection/remote-api.js';
import { productionConsole } from '../../support/console/production-console.js';
import { openStream } from '../../support/console/server-sent-events.js';
import { type Browser, openBrowser } from '../../support/identity-provider/browser.js';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider/identity-provider.js';
import { logIn } from '../../support/identity-provider/signing-in.js';
import { cli, environmentOf, runCliForJson } from '../../support/service/cli.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

const keys = { eve: 'a-key-of-a-viewer', ada: 'a-key-of-an-owner', zoe: 'a-key-of-another-owner' };
const adminKeys = `eve:viewer:${keys.eve},ada:${keys.ada},zoe:${keys.zoe}`;

describe('sign-in to the console with an admin key', () => {
  const dataDirectory = temporaryDirectory();
  let service: ServiceProcess;
  let origin: string;
  let environment: Readonly<Record<string, string>>;

  before(async () => {
    ({ origin, environment } = await productionConsole({ ADMIN_KEYS: adminKeys, RATE_LIMIT_FAILURES: '5/1m' }));
    service = await startService({ environment, dataDirectory });
  });
  after(() => service.stop());

  it('leads from a page over the key back to the page, and to the sign-in again after signing out', async () => {
    const browser = openBrowser();
    const asked = await browser.open(`${origin}/console/health?a=1`);
    expect(asked.url.pathname).to.equal('/console/sign-in');
    expect(asked.headers.get('content-security-policy')).to.include("default-src 'none'");
    const shown = await browser.submit(asked, { key: ` ${keys.eve} ` });
    expect(shown.url.href).to.equal(`${origin}/console/health?a=1`);
    expect(shown.html).to.include('admin:eve').and.to.include('viewer').and.not.to.include(keys.eve);
    expect([...browser.cookiesFor(origin).keys()]).to.deep.equal(['console']);
    const out = await browser.submit(shown, {}, { form: '/sign-out' });
    expect(out.html).to.include('You are signed out.');
    expect((await browser.open(`${origin}/console/health`)).url.pathname).to.equal('/console/sign-in');
  });

  it('has no page for tokens of the command line: the admin key is for it', async () => {
    expect(await tokenPageOf(origin)).to.equal(undefined);
    const page = await openBrowser().open(`${origin}/console/command-line`);
    expect(page.html).to.include('give yours to flow-hooks login');
  });

  it('does not lead to another site', async () => {
    const browser = openBrowser();
    const asked = await browser.open(`${origin}/console/sign-in?to=https://elsewhere.example/console`);
    expect(asked.html).not.to.include('elsewhere');
    const changes = { fields: { to: '//elsewhere.example/console' } };
    const shown = await browser.submit(asked, { key: keys.eve }, changes);
    expect(shown.url.href).to.equal(`${origin}/console`);
  });

  it('refuses a form of another origin, before it looks at the key', async () => {
    const browser = openBrowser();
    const asked = await browser.open(`${origin}/console/sign-in`);
    const refused = await browser.submit(asked, { key: keys.eve }, { origin: 'https://elsewhere.example' });
    expect(refused.status).to.equal(403);
    expect([...browser.cookiesFor(origin).keys()]).to.deep.equal([]);
  });

  it('answers requests without a session: pages lead to the sign-in, streams and htmx get a status', async () => {
    const action = await fetch(`${origin}/console/sign-out`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin },
    });
    expect(action.headers.get('location')).to.equal('/console/sign-in?notice=signed-out');
    expect((await openStream(`${origin}/console/live/health`)).status).to.equal(401);
    const partial = await fetch(`${origin}/console/health`, { redirect: 'manual', headers: { 'hx-request': 'true' } });
    expect(partial.status).to.equal(200);
    expect(partial.headers.get('hx-redirect')).to.equal('/console/sign-in?to=%2Fconsole%2Fhealth');
    expect(await partial.text()).to.equal('');
  });

  it('ends the session when the key is changed, and gives it the new role of a key', async () => {
    const signedIn = async (key: string) => {
      const browser = openBrowser();
      await browser.submit(await browser.open(`${origin}/console/health`), { key });
      return browser;
    };
    const [ofAda, ofZoe] = [await signedIn(keys.ada), await signedIn(keys.zoe)];
    await service.stop();
    const changed = `eve:viewer:${keys.eve},ada:viewer:${keys.ada},zoe:a-changed-key-of-an-owner`;
    service = await startService({ environment: { ...environment, ADMIN_KEYS: changed }, dataDirectory });
    expect((await ofAda.open(`${origin}/console/health`)).html)
      .to.include('admin:ada')
      .and.to.include('>viewer<');
    expect((await ofZoe.open(`${origin}/console/health`)).url.pathname).to.equal('/console/sign-in');
  });

  it('slows down the guessing of keys, and lets in a key that was valid here before', async () => {
    const browser = openBrowser();
    const signInPage = `${origin}/console/sign-in?to=/console/health`;
    expect((await browser.submit(await browser.open(signInPage), { key: keys.eve })).status).to.equal(200);
    const guesser = openBrowser();
    const guess = async (key: string) => guesser.submit(await guesser.open(signInPage), { key });
    const first = await guess('<b>wrong</b>');
    expect(first.status).to.equal(401);
    expect(first.html).to.include('This is not an admin key of this service').and.not.to.include('wrong&lt;');
    expect(first.headers.get('www-authenticate')).to.equal(null);
    const statuses: number[] = [];
    for (let number = 0; number < 6; number += 1) statuses.push((await guess(`wrong-${number}`)).status);
    expect(statuses).to.include(429);
    expect((await guess(keys.ada)).status, 'a key that was not used here').to.equal(429);
    expect((await guess(keys.eve)).url.pathname, 'a key that was').to.equal('/console/health');
  });
});

describe('sign-in to the console with an identity provider', () => {
  let provider: IdentityProvider;
  let service: ServiceProcess;
  let origin: string;

  before(async () => {
    const place = await productionConsole();
    origin = place.origin;
    provider = await startIdentityProvider(`${origin}/console/openid/callback`);
    const { organisationsClaim: _, ...client } = provider.settings as Record<string, unknown>;
    const openid = {
      ...client,
      claim: 'groups',
      roles: { 'listeners-viewers': 'viewer', 'listeners-operators': 'operator' },
    };
    service = await startService({ environment: { ...place.environment, CONSOLE_OPENID: JSON.stringify(openid) } });
  });
  after(async () => {
    await service.stop();
    await provider.stop();
  });

  const signIn = async (login: string, path = '/console/health') => {
    const browser = openBrowser();
    const asked = await browser.open(`${origin}${path}`);
    const href = /href="([^"]*\/openid[^"]*)"/.exec(asked.html)?.[1] ?? '';
    const loginPage = await browser.open(new URL(href.replaceAll('&amp;', '&'), origin));
    return { browser, shown: await logIn(browser, loginPage, login) };
  };

  const consoleCookies = (browser: Browser) =>
    [...browser.cookiesFor(`${origin}/console`).keys()].filter((name) => name.includes('console'));

  it('leads over the provider back to the page, with the role of a group, and leaves no other cookie', async () => {
    const { browser, shown } = await signIn('grace', '/console/health?a=1');
    expect(shown.url.href).to.equal(`${origin}/console/health?a=1`);
    expect(shown.html).to.include('console:grace').and.to.include('operator');
    expect(consoleCookies(browser)).to.deep.equal(['console']);
    expect((await signIn('bob')).shown.html)
      .to.include('console:bob')
      .and.to.include('>viewer<');
  });

  it('gives a token with which the command line works as the operator, and which no log has', async () => {
    const { browser, shown: console } = await signIn('grace');
    const page = await tokenPageOf(origin);
    expect(console.html).to.include(`href="${new URL(page ?? '').pathname}"`);
    const shown = await browser.open(page ?? '');
    expect(shown.html).to.include('console:grace');
    expect((await browser.submit(shown, {}, { origin: 'https://elsewhere.example' })).status).to.equal(403);
    const [token = ''] = /fho_[\w.-]+/.exec((await browser.submit(shown)).html) ?? [];
    const home = { XDG_CONFIG_HOME: temporaryDirectory() };
    const env = environmentOf(home);
    const login = spawnSync(process.execPath, [cli, 'login', origin], { env, input: `${token}\n` });
    expect(login.stdout.toString(), login.stderr.toString()).to.include('as console:grace (operator)');
    await runCliForJson(home, 'flows', 'publish', '--org', 'acme', '--type', 'flow.done', '--id', 'o-1', '--data', '1');
    await until(() => service.printed().includes('made a token for the command line'), 'the log of the token');
    expect(service.printed()).not.to.include(token);
  });

  it('refuses an account without a role, and says so', async () => {
    const { browser, shown } = await signIn('eve');
    expect(shown.status).to.equal(403);
    expect(shown.html).to.include('This account has no role in the console');
    expect(consoleCookies(browser)).to.deep.equal([]);
    await until(() => service.printed().includes('names no group with a role'), 'the reason in the log');
  });

  it('refuses an answer that this browser did not ask for', async () => {
    const { browser } = await signIn('grace');
    const forged = await browser.open(`${origin}/console/openid/callback?code=x&state=y`);
    expect(forged.status).to.equal(400);
    expect(forged.html).to.include('This sign-in has ended, or was begun in another browser');
  });

  it('has no form for a key where none is configured', async () => {
    const page = await openBrowser().open(`${origin}/console/sign-in`);
    expect(page.html).to.include('Sign in with your company account').and.not.to.include('Admin key');
  });

  it('says that the provider cannot be reached, and shows it as a part of the service', async () => {
    const browser = openBrowser(provider.issuer);
    const sent = await browser.open(`${origin}/console/openid?to=/console/health`);
    await provider.stop();
    const answer = new URLSearchParams({
      code: 'x',
      state: sent.url.searchParams.get('state') ?? '',
      iss: provider.issuer,
    });
    const page = await browser.open(`${origin}/console/openid/callback?${answer}`);
    expect(page.status).to.equal(503);
    expect(page.html).to.include('The identity provider cannot be reached now');
    const { body } = await service.fetch('/readyz');
    const parts = (body as { parts: { part: string; ready: boolean }[] }).parts;
    expect(parts.find(({ part }) => part.includes('of the console'))).to.include({ ready: false, required: false });
    await provider.restart();
  });
});
