import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { pino } from 'pino';
import { AuthorizationRefused, ProviderUnavailable } from '../../../src/access/errors.js';
import { issuerFetch } from '../../../src/access/issuer-fetch.js';
import { userOf } from '../../../src/access/providers/claims.js';
import { openProvider, type Provider } from '../../../src/access/providers/provider.js';
import type { ProviderSettings } from '../../../src/access/providers/provider-settings.js';
import { TooManyRequests } from '../../../src/http/errors.js';
import { rejection } from '../../support/rejection.js';
import { type CraftedProvider, clientSecret, nonce, startCraftedProvider } from './crafted-provider.js';

const callback = 'https://hooks.example.com/base/oauth2/callback';
const attempt = { callback, state: 's'.repeat(43), nonce, codeVerifier: 'v'.repeat(43) };

describe('an identity provider', () => {
  let crafted: CraftedProvider;
  beforeEach(async () => {
    crafted = await startCraftedProvider();
  });
  afterEach(() => crafted.close());

  const settings = (): ProviderSettings => ({
    issuer: crafted.issuer,
    clientId: 'c',
    clientSecret,
    clientAuthentication: 'client_secret_post',
    scopes: ['openid', 'profile'],
    userClaim: 'sub',
    organisationsClaim: 'org',
  });
  let waitedMs = 0;
  const wait = (ms: number) => {
    waitedMs += ms;
  };
  const open = (changes: Partial<ProviderSettings> = {}, maxSignIns = 100): Provider => {
    const changed = { ...settings(), ...changes };
    return openProvider(changed, clientSecret, {
      fetch: issuerFetch({ plainHttpTo: () => true, timeoutMs: 500 }),
      log: pino({ level: 'silent' }),
      maxSignIns,
      monotonicMs: () => performance.now() + waitedMs,
      userOf: (claims) => userOf(claims, changed),
    });
  };
  const answer = (changes: Readonly<Record<string, string>> = {}): URL =>
    new URL(
      `${callback}?${new URLSearchParams({ code: 'code', state: attempt.state, iss: crafted.issuer, ...changes })}`,
    );
  const identify = (provider = open(), given = answer()) => provider.identify(given, attempt);

  it('is sent the user with the redirect URI, state, nonce and challenge of this attempt', async () => {
    const url = await open({ prompt: 'select_account' }).authorizationUrl(attempt);
    expect(url.origin + url.pathname).to.equal(`${crafted.issuer}/authorize`);
    expect(Object.fromEntries(url.searchParams)).to.deep.equal({
      client_id: 'c',
      response_type: 'code',
      redirect_uri: callback,
      scope: 'openid profile',
      state: attempt.state,
      nonce,
      code_challenge: createHash('sha256').update(attempt.codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
      prompt: 'select_account',
    });
  });

  it('is asked for another account: by a choice, or by a login where it knows no choice', async () => {
    const promptOf = async () =>
      (await open().authorizationUrl(attempt, { otherAccount: true })).searchParams.get('prompt');
    expect(await promptOf()).to.equal('select_account');
    crafted.metadata = { prompt_values_supported: ['none', 'login', 'consent'] };
    expect(await promptOf()).to.equal('login');
  });

  it('says where users sign out of it, if it offers that and can be used', async () => {
    expect(await open().endSessionUrl()).to.equal(undefined);
    crafted.metadata = { end_session_endpoint: `${crafted.issuer}/logout` };
    expect((await open().endSessionUrl())?.href).to.equal(`${crafted.issuer}/logout?client_id=c`);
    crafted.metadata = { end_session_endpoint: 'javascript:alert(1)' };
    expect(await open().endSessionUrl()).to.equal(undefined);
    crafted.answers.set('/.well-known/openid-configuration', { status: 500, body: '' });
    expect(await open().endSessionUrl()).to.equal(undefined);
  });

  it('exchanges the code with the verifier and the client secret, in the way that is set', async () => {
    expect(await identify()).to.deep.include({ userId: 'ada', organisations: [{ id: 'acme', name: 'acme' }] });
    const { client_secret, ...post } = Object.fromEntries(crafted.tokenRequest());
    expect(client_secret).to.equal(clientSecret);
    expect(post).to.deep.include({ code: 'code', redirect_uri: callback, code_verifier: attempt.codeVerifier });
    await identify(open({ clientAuthentication: 'client_secret_basic' }));
    expect(crafted.tokenRequest().get('authorization')).to.match(/^Basic /);
  });

  const seconds = (ahead: number) => Math.floor(Date.now() / 1_000) + ahead;
  const tokens: readonly (readonly [what: string, token: () => CraftedProvider['token']])[] = [
    ['for another client', () => ({ claims: { aud: 'another' } })],
    ['for several clients, issued to another', () => ({ claims: { aud: ['c', 'd'], azp: 'd' } })],
    ['with another nonce', () => ({ claims: { nonce: 'other' } })],
    ['without a nonce', () => ({ claims: { nonce: undefined } })],
    ['of another issuer', () => ({ claims: { iss: 'https://id.example' } })],
    ['that has expired', () => ({ claims: { exp: seconds(-90) } })],
    ['that is valid later', () => ({ claims: { nbf: seconds(90) } })],
    ['of an unknown key', () => ({ by: 'unknown key' })],
    ['signed with the client secret', () => ({ by: 'client secret' })],
    ['without a signature', () => ({ by: 'no key' })],
    ['without a user', () => ({ claims: { sub: undefined } })],
  ];
  for (const [what, token] of tokens) {
    it(`cannot sign in with an ID token ${what}`, async () => {
      crafted.token = token();
      const error = await rejection(identify());
      expect(error).to.be.instanceOf(AuthorizationRefused).and.to.have.property('code', 'server_error');
    });
  }

  it('may have a clock that differs by less than a minute', async () => {
    crafted.token = { claims: { exp: seconds(-50), iat: seconds(-110) } };
    await identify();
    crafted.token = { claims: { nbf: seconds(50), iat: seconds(50) } };
    await identify();
  });

  it('may replace its keys at any time', async () => {
    const provider = open();
    await identify(provider);
    crafted.replaceKey();
    await identify(provider);
  });

  it('is not believed if the answer has another state or issuer', async () => {
    for (const changes of [{ state: 'other' }, { iss: 'https://id.example' }] as Record<string, string>[]) {
      expect(await rejection(identify(open(), answer(changes)))).to.have.property('code', 'server_error');
    }
    expect(crafted.counts.get('/token')).to.equal(undefined);
  });

  const passedOn = {
    access_denied: 'access_denied',
    login_required: 'access_denied',
    consent_required: 'access_denied',
    interaction_required: 'access_denied',
    temporarily_unavailable: 'temporarily_unavailable',
    invalid_scope: 'server_error',
    unauthorized_client: 'server_error',
    'made up "error"': 'server_error',
  };
  for (const [error, code] of Object.entries(passedOn)) {
    it(`that answers ${error} makes the platform get ${code}, without the provider's own text`, async () => {
      const url = new URL(`${callback}?${new URLSearchParams({ error, state: attempt.state, iss: crafted.issuer })}`);
      url.searchParams.set('error_description', 'a text of the provider');
      const refused = await rejection(identify(open(), url));
      expect(refused).to.be.instanceOf(AuthorizationRefused).and.to.include({ code });
      expect((refused as AuthorizationRefused).message).to.not.include('a text of the provider');
      expect((refused as AuthorizationRefused).detail)
        .to.include('a text of the provider')
        .and.to.include(error);
    });
  }

  it('that refuses the code or the client is a failure of this service, and the log has its reason', async () => {
    const body = JSON.stringify({ error: 'invalid_client', error_description: 'wrong secret' });
    crafted.answers.set('/token', { status: 401, body });
    const refused = await rejection(identify());
    expect(refused).to.have.property('code', 'server_error');
    expect((refused as AuthorizationRefused).detail).to.equal('invalid_client: wrong secret');
  });

  const failures: readonly (readonly [
    what: string,
    path: '/token' | '/jwks',
    answer: { status: number; body: string } | 'nothing',
  ])[] = [
    ['the token endpoint fails', '/token', { status: 500, body: '{"error":"server_error"}' }],
    ['a proxy answers for the token endpoint', '/token', { status: 502, body: '<html>' }],
    ['the token endpoint does not answer', '/token', 'nothing'],
    ['its keys cannot be fetched', '/jwks', { status: 503, body: '' }],
    ['its keys do not come', '/jwks', 'nothing'],
  ];
  for (const [what, path, failing] of failures) {
    it(`is unavailable if ${what}, until it answers again`, async () => {
      const provider = open();
      crafted.answers.set(path, failing);
      expect(await rejection(identify(provider))).to.be.instanceOf(ProviderUnavailable);
      expect(provider.failure()).to.be.instanceOf(ProviderUnavailable);
      crafted.answers.clear();
      await identify(provider);
      expect(provider.failure()).to.equal(undefined);
    });
  }

  const metadata = '/.well-known/openid-configuration';
  it('is unavailable if its metadata is missing, no metadata, or that of another issuer', async () => {
    const provider = open();
    for (const given of [
      { status: 404, body: '' },
      { body: '<html>maintenance</html>', type: 'text/html' },
      { body: JSON.stringify({ issuer: 'https://id.example' }) },
    ]) {
      crafted.answers.set(metadata, given);
      expect(await rejection(provider.authorizationUrl(attempt)), JSON.stringify(given)).to.be.instanceOf(
        ProviderUnavailable,
      );
      wait(5_000);
    }
    crafted.answers.clear();
    await provider.authorizationUrl(attempt);
  });

  it('is asked for its metadata once in a while, and again after a failure', async () => {
    const provider = open();
    for (let count = 0; count < 3; count += 1) await provider.authorizationUrl(attempt);
    expect(crafted.counts.get(metadata)).to.equal(1);
    crafted.answers.set('/token', { status: 500, body: '' });
    await rejection(identify(provider));
    await provider.authorizationUrl(attempt);
    expect(crafted.counts.get(metadata)).to.equal(2);
  });

  it('is asked for its metadata by one request at a time, and left alone for five seconds after a failure', async () => {
    const provider = open();
    crafted.answers.set(metadata, 'nothing');
    const waiting = Array.from({ length: 20 }, () => rejection(provider.authorizationUrl(attempt)));
    for (const error of await Promise.all(waiting)) expect(error).to.be.instanceOf(ProviderUnavailable);
    expect(crafted.counts.get(metadata)).to.equal(1);
    crafted.answers.clear();
    expect(await rejection(provider.authorizationUrl(attempt))).to.be.instanceOf(ProviderUnavailable);
    expect(await rejection(identify(provider))).to.be.instanceOf(ProviderUnavailable);
    expect(crafted.counts.get(metadata)).to.equal(1);
    wait(5_000);
    await Promise.all(Array.from({ length: 20 }, () => provider.authorizationUrl(attempt)));
    expect(crafted.counts.get(metadata)).to.equal(2);
  });

  it('is waited for by a limited number of requests; further ones are refused at once', async () => {
    const provider = open({}, 2);
    crafted.answers.set('/token', 'nothing');
    const waiting = [1, 2].map(() => rejection(identify(provider)));
    for (const step of [identify(provider), provider.authorizationUrl(attempt)]) {
      expect(await rejection(step)).to.be.instanceOf(TooManyRequests);
    }
    await Promise.all(waiting);
    crafted.answers.clear();
    await identify(provider);
  });

  it('is checked without a sign-in', async () => {
    const provider = open();
    crafted.answers.set(metadata, { status: 500, body: '' });
    await provider.check();
    expect(provider.failure()).to.be.instanceOf(ProviderUnavailable);
    crafted.answers.clear();
    wait(5_000);
    await provider.check();
    expect(provider.failure()).to.equal(undefined);
  });
});
