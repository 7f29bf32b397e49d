import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { allowInsecureRequests, authorizationCodeGrant, buildAuthorizationUrl, discovery, None } from 'openid-client';
import { reusablePort } from '../../eventstoredb-double/src/reusable-port.js';
import {
  documentedLoginPage,
  documentedUser,
  type LoginPage,
  startLoginPage,
} from '../../support/documented-login-page.js';
import { openBrowser, type Page } from '../../support/identity-provider/browser.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';

const codeVerifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

describe('the login page of the documentation', function () {
  this.timeout(60_000);
  let page: LoginPage;
  let service: ServiceProcess;

  before(async () => {
    const port = await reusablePort();
    page = await startLoginPage(`http://127.0.0.1:${port}`);
    service = await startService({ environment: { ...page.settings, PORT: String(port) } });
  });
  after(async () => {
    await service.stop();
    await page.stop();
  });

  const browser = openBrowser('https://platform.example/');
  const request = {
    response_type: 'code',
    client_id: 'zapier',
    redirect_uri: 'https://platform.example/callback',
    state: 'a b&c',
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  const open = (changes: Readonly<Record<string, string>> = {}) =>
    browser.open(`${service.origin}/oauth2?${new URLSearchParams({ ...request, ...changes })}`);
  const answerOf = ({ url }: Page) => Object.fromEntries(url.searchParams);

  it('fits on a screen or two', () => {
    expect(documentedLoginPage().split('\n').length).to.be.within(50, 80);
  });

  it('signs a user in with a code that the service exchanges, once and with the verifier', async () => {
    const { code = '', ...answer } = answerOf(await browser.submit(await open(), documentedUser));
    expect(answer).to.deep.equal({ state: 'a b&c', iss: service.origin });
    const exchange = (code_verifier: string) =>
      service.fetch('/access', { form: { grant_type: 'authorization_code', code, code_verifier } });
    expect(await exchange('x'.repeat(43))).to.include({ status: 400 });
    const { status, body } = await exchange(codeVerifier);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.include({ user_id: 'ada', org_id: 'acme' });
    expect(await exchange(codeVerifier)).to.include({ status: 400 });
  });

  it('signs a user in at a conformant client, which finds the service by its metadata and compares the issuer', async () => {
    const options = { algorithm: 'oauth2' as const, execute: [allowInsecureRequests] };
    const config = await discovery(new URL(service.origin), request.client_id, {}, None(), options);
    const { code_challenge, code_challenge_method, redirect_uri, state } = request;
    const parameters = { redirect_uri, state, code_challenge, code_challenge_method };
    const form = await browser.open(buildAuthorizationUrl(config, parameters).href);
    const { url } = await browser.submit(form, documentedUser);
    const checks = { pkceCodeVerifier: codeVerifier, expectedState: state };
    expect(await authorizationCodeGrant(config, url, checks)).to.include({ user_id: 'ada', org_id: 'acme' });
  });

  it('writes a code with the header and the claims of the contract', async () => {
    const { code = '' } = answerOf(await browser.submit(await open(), documentedUser));
    const [header, claims] = code.split('.').map((part) => Buffer.from(part, 'base64url').toString());
    expect(JSON.parse(header ?? '')).to.include({ typ: 'code+jwt' });
    expect(JSON.parse(claims ?? '')).to.have.all.keys(
      ...['iss', 'aud', 'sub', 'org_id', 'jti', 'iat', 'exp', 'code_challenge', 'client_id', 'redirect_uri', 'scope'],
    );
  });

  it('never redirects to a URL that is not that of the platform', async () => {
    for (const changes of [{ redirect_uri: 'https://evil.example/' }, { client_id: 'make' }] as Record<
      string,
      string
    >[]) {
      expect(await open(changes)).to.include({ status: 400 });
    }
  });

  it('tells the platform its other mistakes', async () => {
    const errorOf = async (changes: Readonly<Record<string, string>>) => answerOf(await open(changes)).error;
    expect(await errorOf({ response_type: 'token' })).to.equal('unsupported_response_type');
    expect(await errorOf({ scope: 'admin' })).to.equal('invalid_scope');
    expect(await errorOf({ code_challenge_method: 'plain' })).to.equal('invalid_request');
  });

  it('takes neither a wrong password nor a form of another site', async () => {
    const form = await open();
    expect(await browser.submit(form, { ...documentedUser, password: 'x' })).to.include({ status: 401 });
    expect(await browser.submit(form, documentedUser, { origin: 'https://evil.example' })).to.include({ status: 403 });
  });
});
