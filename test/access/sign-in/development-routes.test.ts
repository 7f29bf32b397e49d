import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { RegisteredClients } from '../../../src/access/clients/client-registry.js';
import { generateSigningKeys, signingKeys } from '../../../src/access/keys/signing-keys.js';
import { protectedResources } from '../../../src/access/protected-resource.js';
import { serviceIssuer } from '../../../src/access/service-issuer.js';
import {
  type DevelopmentCodes,
  developmentCodes,
  developmentSignInRoutes,
} from '../../../src/access/sign-in/development.js';
import { platformAnswers } from '../../../src/access/sign-in/platform-request.js';
import type { Client } from '../../../src/events/client-events.js';
import { type Served, serveRoutes } from '../../support/service/serve-routes.js';

describe('the sign-in page of development mode', () => {
  let codes: DevelopmentCodes;
  let server: Served;
  let registered: RegisteredClients;
  before(async () => {
    codes = developmentCodes(await signingKeys(generateSigningKeys()), () => new Date());
    server = await serveRoutes(
      developmentSignInRoutes(
        codes,
        { current: async () => registered },
        platformAnswers(serviceIssuer(undefined)),
        protectedResources(true, serviceIssuer(undefined)),
      ),
    );
  });
  beforeEach(() => {
    registered = new Map();
  });
  after(() => server.close());

  const get = (query: Record<string, string>) => fetch(`${server.origin}/sign-in?${new URLSearchParams(query)}`);
  const post = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(`${server.origin}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: new URLSearchParams({ user_id: 'ada', org_id: 'acme', ...fields }),
    });
  const redirected = async (fields: Record<string, string>) => {
    const answer = await post(fields);
    expect(answer.status).to.equal(303);
    return new URL(answer.headers.get('location') ?? '');
  };

  it('loads no resources and runs no scripts', async () => {
    const answer = await get({ state: 'x' });
    const html = await answer.text();
    expect(answer.headers.get('content-type')).to.include('text/html');
    const policy = answer.headers.get('content-security-policy') ?? '';
    const style = /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? '';
    expect(policy).to.include("default-src 'none'");
    expect(policy).to.include(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(html).to.not.match(/<script|<link|<img|style=|\son\w+=/);
    expect(html).to.include('name="user_id"').and.to.include('name="org_id"');
  });

  it('contains the parameters of the platform, escaped', async () => {
    const state = `"><script>alert('&')</script>`;
    const request = { response_type: 'code', redirect_uri: 'https://p.example/cb?a=1&b=2', state, client_id: 'c' };
    const html = await (await get(request)).text();
    expect(html).to.include('name="redirect_uri" value="https://p.example/cb?a=1&amp;b=2"');
    expect(html).to.include('value="&quot;&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;"');
    expect(html).to.not.include('<script');
    expect(html).to.include('name="client_id" value="c"');
  });

  it('redirects the user with a valid code and the unchanged state', async () => {
    const location = await redirected({ redirect_uri: 'https://p.example/cb?kept=1#part', state: 'a b&c=d+é' });
    expect(location.href).to.match(/^https:\/\/p\.example\/cb\?kept=1&code=[^#]*&iss=[^#]*#part$/);
    expect(location.searchParams.get('state')).to.equal('a b&c=d+é');
    const signedIn = await codes.verification.verify(location.searchParams.get('code') ?? '');
    expect(signedIn).to.include({ userId: 'ada', orgId: 'acme' });
  });

  it('returns the issuer of the metadata (RFC 9207)', async () => {
    const location = await redirected({ redirect_uri: 'https://p.example/cb' });
    expect(location.searchParams.get('iss')).to.equal(server.origin);
  });

  it('adds no state if the platform sent none', async () => {
    const location = await redirected({ redirect_uri: 'http://127.0.0.1:9/cb' });
    expect([...location.searchParams.keys()]).to.eql(['code', 'iss']);
  });

  it('binds the code to the given challenge (RFC 7636)', async () => {
    const verifier = 'v'.repeat(43);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const proof = { code_challenge: challenge, code_challenge_method: 'S256' };
    expect(await (await get(proof)).text()).to.include(`value="${challenge}"`);
    const code = (await redirected({ redirect_uri: 'https://p.example/', ...proof })).searchParams.get('code') ?? '';
    await codes.verification.verify(code, { codeVerifier: verifier });
    expect((await get({ ...proof, code_challenge_method: 'plain' })).status).to.equal(400);
  });

  it('binds the code to the resource, which has to be known (RFC 8707)', async () => {
    const resource = `${server.origin}/mcp`;
    expect(await (await get({ resource })).text()).to.include(`value="${resource}"`);
    const code = (await redirected({ redirect_uri: 'https://p.example/', resource })).searchParams.get('code') ?? '';
    expect(await codes.verification.verify(code)).to.include({ resource });
    expect((await get({ resource: 'https://other.example/mcp' })).status).to.equal(400);
  });

  it('shows the code if there is no redirect URI, as JSON to clients that prefer it', async () => {
    expect(await (await post({})).text()).to.match(/<code>[\w-]+\.[\w-]+\.[\w-]+<\/code>/);
    const answer = (await (await post({}, { accept: 'application/json' })).json()) as Record<string, unknown>;
    expect(answer).to.include({ expires_in: 300 });
    expect(await codes.verification.verify(String(answer.code))).to.include({ userId: 'ada' });
  });

  it('refuses invalid redirect URIs and missing or invalid user and organisation IDs', async () => {
    for (const redirect_uri of ['javascript:alert(1)', '/relative', 'data:text/html,x', 'not a url']) {
      expect((await get({ redirect_uri })).status, redirect_uri).to.equal(400);
      expect((await post({ redirect_uri })).status, redirect_uri).to.equal(400);
    }
    expect((await post({ user_id: '' })).status).to.equal(400);
    expect((await post({ org_id: 'a\u0007' })).status).to.equal(400);
    expect((await fetch(`${server.origin}/sign-in`, { method: 'POST' })).status).to.equal(400);
    expect((await fetch(`${server.origin}/sign-in?state=a&state=b`)).status).to.equal(400);
  });

  /** Mistakes of a platform that an OpenID provider's sign-in refuses too, with the RFC's code. */
  const mistakes: Readonly<Record<string, readonly [Record<string, string>, string]>> = {
    'another response type': [{ response_type: 'token' }, 'unsupported_response_type'],
    'no response type': [{ response_type: '' }, 'invalid_request'],
    'another response mode': [{ response_mode: 'form_post' }, 'invalid_request'],
    'a scope that is unknown': [{ scope: 'listeners admin' }, 'invalid_scope'],
    'a challenge without a method': [{ code_challenge: 'c'.repeat(43) }, 'invalid_request'],
    'a challenge in plain': [{ code_challenge: 'c'.repeat(43), code_challenge_method: 'plain' }, 'invalid_request'],
    'a challenge that is no digest': [{ code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request'],
    'a method without a challenge': [{ code_challenge_method: 'S256' }, 'invalid_request'],
  };
  const wholeRequest = {
    response_type: 'code',
    client_id: 'zapier',
    redirect_uri: 'https://p.example/cb?a=1',
    state: 'x',
  };

  for (const [what, [changes]] of Object.entries(mistakes))
    it(`shows a platform's author ${what}, while no client is registered`, async () => {
      const fields = { ...wholeRequest, ...changes };
      for (const answer of [await get(fields), await post(fields)]) {
        expect(answer.status).to.equal(400);
        expect(answer.headers.get('location')).to.equal(null);
      }
    });

  describe('once clients are registered', () => {
    const client: Client = {
      clientId: 'zapier',
      name: 'Zap & Co',
      type: 'confidential',
      redirectUris: ['https://p.example/cb?a=1', 'https://p.example/other'],
      scopes: ['listeners'],
      secrets: [],
      registeredAt: '2026-01-01T00:00:00.000Z',
    };
    beforeEach(() => {
      registered = new Map([[client.clientId, client]]);
    });
    const request = wholeRequest;

    it('serves a client and its redirect URIs', async () => {
      expect((await get(request)).status).to.equal(200);
      expect((await redirected(request)).href).to.match(/^https:\/\/p\.example\/cb\?a=1&code=.*&state=x&iss=.*$/);
    });

    for (const [what, [changes, error]] of Object.entries(mistakes))
      it(`sends a platform its error for ${what}`, async () => {
        const fields = new URLSearchParams({ ...request, ...changes });
        const answers = [
          await fetch(`${server.origin}/sign-in?${fields}`, { redirect: 'manual' }),
          await post({ ...request, ...changes }),
        ];
        for (const answer of answers) {
          const location = new URL(answer.headers.get('location') ?? '');
          expect(location.origin).to.equal('https://p.example');
          expect(Object.fromEntries(location.searchParams)).to.include({ error, state: 'x', iss: server.origin });
          expect(location.searchParams.has('code')).to.equal(false);
        }
      });

    const refused: Readonly<Record<string, readonly [Record<string, string>, string]>> = {
      'an unknown client': [{ ...request, client_id: 'make' }, 'flow-hooks clients add'],
      'a redirect URI that is not registered': [
        { ...request, redirect_uri: 'https://p.example/cb' },
        'not registered for Zap &amp; Co: an operator of this service sets it with flow-hooks clients change',
      ],
      'a request without a client': [{ redirect_uri: request.redirect_uri }, 'client_id'],
      'a request without a redirect URI': [{ client_id: 'zapier' }, 'redirect_uri'],
    };
    for (const [what, [fields, message]] of Object.entries(refused)) {
      it(`refuses ${what}, says what to do, and redirects nothing`, async () => {
        for (const answer of [await get(fields), await post(fields, { accept: 'text/html' })]) {
          expect(answer.status).to.equal(400);
          expect(answer.headers.get('location')).to.equal(null);
        }
        const page = await fetch(`${server.origin}/sign-in?${new URLSearchParams(fields)}`, {
          headers: { accept: 'text/html' },
        });
        expect(await page.text())
          .to.include('<h1>You cannot be signed in</h1>')
          .and.to.include(message);
        const asJson = await post(fields, { accept: 'application/json' });
        expect(await asJson.json()).to.include({ error: 'invalid_request' });
      });
    }
  });
});
