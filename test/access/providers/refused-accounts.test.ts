import { expect } from 'chai';
import { AccountRefused, AuthorizationRefused, ProviderUnavailable } from '../../../src/access/errors.js';
import { type Browser, openBrowser, type Page } from '../../support/identity-provider/browser.js';
import type { Served } from '../../support/service/serve-routes.js';
import { ada, type Shared, sharedByInstances, startInstance } from './sign-in-instance.js';

describe('a refused account', () => {
  let shared: Shared;
  let service: Served;
  let browser: Browser;
  beforeEach(async () => {
    shared = await sharedByInstances();
    service = await startInstance(shared);
    browser = openBrowser('https://platform.example/', 'https://id.example/');
  });
  afterEach(async () => {
    await service.close();
    await shared.store.close();
  });

  const withoutOrganisation = new AccountRefused('the account belongs to no organisation', { displayName: 'Eve' });
  /** The verifier of the challenge, RFC 7636 appendix B. */
  const codeVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'zapier',
    redirect_uri: 'https://platform.example/callback',
    state: 'xyz',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  const answerOf = ({ url }: Page) => Object.fromEntries(url.searchParams);
  /** The URL to which the provider sends the user back. */
  const callbackOf = (sent: Page) => `${service.origin}/oauth2/callback?code=c&state=${answerOf(sent).state}`;
  const begin = async () => callbackOf(await browser.open(`${service.origin}/oauth2?${query}`));
  async function refuse(refusal: IdentityOrError = withoutOrganisation): Promise<Page> {
    shared.user = refusal;
    return browser.open(await begin());
  }
  const chooseAnother = (page: Page) => browser.submit(page, { decision: 'another' });

  it('is told why, and nothing is sent to the platform yet', async () => {
    const page = await refuse();
    expect(page.url.origin).to.equal(service.origin);
    expect(page.status).to.equal(403);
    expect(page.html).to.include('You are signed in as Eve, but the account belongs to no organisation.');
    expect(page.html).to.include('Use another account').and.to.include('Cancel').and.to.include('Zap &amp; Co');
  });

  it('can be replaced: the provider asks for an account, and the platform gets a code for its request', async () => {
    const sent = await chooseAnother(await refuse());
    expect(sent.url.origin).to.equal('https://id.example');
    expect(answerOf(sent)).to.include({ other: 'true' });
    shared.user = ada('acme');
    const consent = await browser.open(callbackOf(sent));
    const { code = '', ...answer } = answerOf(await browser.submit(consent, { decision: 'allow' }));
    expect(answer).to.deep.equal({ state: 'xyz', iss: 'https://hooks.example.com' });
    const verified = await shared.codes.verification.verify(code, { codeVerifier });
    expect(verified).to.include({ userId: 'ada', orgId: 'acme' });
    expect([...browser.cookiesFor(service.origin)]).to.deep.equal([]);
  });

  it('can be replaced again if the next one is refused too', async () => {
    const again = await browser.open(callbackOf(await chooseAnother(await refuse())));
    expect(again.status).to.equal(403);
    expect(answerOf(await chooseAnother(again))).to.include({ other: 'true' });
  });

  it('leads back to the platform with the reason if the user cancels', async () => {
    const answer = answerOf(await browser.submit(await refuse(), { decision: 'cancel' }));
    expect(answer).to.deep.equal({
      error: 'access_denied',
      error_description: 'the account belongs to no organisation',
      state: 'xyz',
      iss: 'https://hooks.example.com',
    });
    expect([...browser.cookiesFor(service.origin)]).to.deep.equal([]);
  });

  it('is one of more organisations than a form can send back', async () => {
    const page = await refuse(ada(...Array.from({ length: 2_000 }, (_, index) => `organisation-${index}`)));
    expect(page.html).to.include('You are signed in as Ada, but the account belongs to too many organisations.');
    const answer = answerOf(await browser.submit(page, { decision: 'cancel' }));
    expect(answer).to.include({ error_description: 'the account belongs to too many organisations' });
  });

  it('is not meant by other refusals, which the platform gets at once', async () => {
    for (const code of ['access_denied', 'server_error'] as const) {
      const answer = answerOf(await refuse(new AuthorizationRefused(code, 'the identity provider refused')));
      expect(answer).to.include({ error: code, state: 'xyz' });
    }
  });

  it('is replaced only by its own page, in this browser, once, and in ten minutes', async () => {
    const page = await refuse();
    const refused = async (changes = {}, decision = 'another', from = browser) =>
      expect((await from.submit(page, { decision }, changes)).status).to.equal(400);
    await refused({ origin: 'https://evil.example' });
    await refused({ origin: '' });
    await refused({ fields: { sealed: 'x' } });
    await refused({}, 'allow');
    await refused({}, 'another', openBrowser());
    expect((await chooseAnother(page)).url.origin).to.equal('https://id.example');
    await refused();
    await refused({}, 'cancel');
    const late = await refuse();
    shared.wait(10 * 60_000);
    expect((await chooseAnother(late)).status).to.equal(400);
  });

  it('is not identified by the same answer of the provider a second time', async () => {
    shared.user = withoutOrganisation;
    const first = await begin();
    const page = await browser.open(first);
    shared.user = ada('acme');
    expect((await browser.open(first)).status, 'while the page asks').to.equal(400);
    const sent = await chooseAnother(page);
    expect((await browser.open(first)).status, 'while the provider asks').to.equal(400);
    expect((await browser.open(callbackOf(sent))).html).to.include('In ACME');
  });

  it('cannot agree, and an accepted one cannot send the form of a refused one', async () => {
    const sealedOf = ({ html }: Page) => /name="sealed" value="([^"]*)"/.exec(html)?.[1] ?? '';
    const page = await refuse();
    shared.user = ada('acme');
    const consent = await browser.open(await begin());
    const swapped = (fields: object) => ({ fields: { ...fields } });
    const agreed = await browser.submit(consent, { decision: 'allow' }, swapped({ sealed: sealedOf(page) }));
    const replaced = await browser.submit(page, { decision: 'another' }, swapped({ sealed: sealedOf(consent) }));
    expect([agreed.status, replaced.status]).to.deep.equal([400, 400]);
  });

  it('can be replaced as soon as the provider can be reached', async () => {
    const page = await refuse();
    shared.unavailable = new ProviderUnavailable('https://id.example', new Error('down'));
    expect((await chooseAnother(page)).status).to.equal(503);
    shared.unavailable = undefined;
    expect((await chooseAnother(page)).url.origin).to.equal('https://id.example');
  });

  it('has a page that loads and runs nothing, and whose name is escaped', async () => {
    const name = `"><script>alert('&')</script>`;
    const { headers, html } = await refuse(new AccountRefused('no', { displayName: name }));
    expect(html).to.include('&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;').and.to.not.include('<script');
    expect(headers.get('content-security-policy')).to.match(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' https:; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers.get('cache-control')).to.equal('no-store');
  });
});

type IdentityOrError = Shared['user'];
