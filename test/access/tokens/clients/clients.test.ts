import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import type { OperateClient } from '../../../../src/access/clients/operate-clients.js';
import { Unauthenticated } from '../../../../src/http/errors.js';
import type { Listening } from '../../../../src/http/listen.js';
import { rejection } from '../../../support/rejection.js';
import { rawRequest } from '../../../support/service/raw-request.js';
import { serveTokens, type TokenService, tokenService } from '../token-service.js';

type Body = Readonly<Record<string, string>>;

const redirectUri = 'https://zapier.example/callback';
const zapier: OperateClient & { change: 'register' } = {
  change: 'register',
  clientId: 'zapier',
  name: 'Zapier',
  type: 'confidential',
  redirectUris: [redirectUri],
  scopes: ['listeners', 'flows:publish'],
};
const verifier = 'a-code-verifier-of-at-least-forty-three-characters';
const challenge = createHash('sha256').update(verifier).digest('base64url');

describe('the token routes with registered clients', () => {
  let service: TokenService;
  let server: Listening;
  let secret: string;
  beforeEach(async () => {
    service = await tokenService();
    server = await serveTokens(service);
    secret = (await service.operate(zapier)).clientSecret ?? '';
  });
  afterEach(async () => {
    await server.stop(0);
    await service.close();
  });

  type Sent = { headers?: readonly (readonly [string, string])[]; json?: boolean };
  const post = async (path: string, fields: Body, { headers = [], json = false }: Sent = {}) => {
    const port = Number(new URL(server.origin).port);
    const type = json ? 'application/json' : 'application/x-www-form-urlencoded';
    const body = json ? JSON.stringify(fields) : new URLSearchParams(fields).toString();
    const answer = await rawRequest(port, path, [['Content-Type', type], ...headers], { method: 'POST', body });
    return { ...answer, body: answer.body as Body };
  };
  const basic = (credentials: string) =>
    ['Authorization', `Basic ${Buffer.from(credentials).toString('base64')}`] as const;
  const code = (changes: object = {}) => service.code(undefined, { clientId: 'zapier', redirectUri, ...changes });
  const access = async (fields: Body = {}, sent: Sent = {}) =>
    post('/access', { grant_type: 'authorization_code', code: await code(), ...fields }, sent);
  const refreshAt = (path: '/refresh' | '/access', refresh_token = '', fields: Body = {}, sent: Sent = {}) =>
    post(path, { grant_type: 'refresh_token', refresh_token, ...fields }, sent);
  const refresh = (token?: string, fields?: Body, sent?: Sent) => refreshAt('/refresh', token, fields, sent);
  const inBody = () => ({ client_id: 'zapier', client_secret: secret });

  const methods: Readonly<Record<string, () => readonly [Body, Sent]>> = {
    'client_secret_post in a form': () => [inBody(), {}],
    'client_secret_post in JSON': () => [inBody(), { json: true }],
    'client_secret_basic with a form': () => [{}, { headers: [basic(`zapier:${secret}`)] }],
    'client_secret_basic with JSON': () => [{}, { json: true, headers: [basic(`zapier:${secret}`)] }],
    'client_secret_basic with encoded parts': () => [
      {},
      { headers: [basic(`%7Aapier:${secret.replace('_', '%5F')}`)] },
    ],
    'client_secret_basic, and its ID in the body': () => [
      { client_id: 'zapier' },
      { headers: [['authorization', basic(`zapier:${secret}`)[1].replace('Basic', 'bAsIc')]] },
    ],
  };
  for (const [method, credentials] of Object.entries(methods)) {
    it(`accept ${method}`, async () => {
      const first = await access(...credentials());
      expect(first).to.deep.include({ status: 200 });
      expect(first.body).to.include({ scope: 'listeners flows:publish', user_id: 'ada' });
      const second = await refresh(first.body.refresh_token, ...credentials());
      expect(second).to.deep.include({ status: 200 });
      expect(second.body).to.include({ scope: 'listeners flows:publish' });
      const third = await refreshAt('/access', second.body.refresh_token, ...credentials());
      expect(third).to.deep.include({ status: 200 });
      expect(third.body).to.include({ scope: 'listeners flows:publish' }).and.not.have.any.keys('user_id', 'org_id');
    });
  }

  const refusals: Readonly<Record<string, () => readonly [Body, Sent]>> = {
    'no credentials': () => [{}, {}],
    'an unknown client': () => [{ client_id: 'make', client_secret: secret }, {}],
    'a wrong secret': () => [{ client_id: 'zapier', client_secret: `${secret}x` }, {}],
    'no secret': () => [{ client_id: 'zapier', client_secret: '' }, {}],
    'a wrong secret in Basic': () => [{}, { headers: [basic('zapier:wrong')] }],
    'the hash of the secret': () => [
      { client_id: 'zapier', client_secret: createHash('sha256').update(secret).digest('base64url') },
      {},
    ],
    'Basic without a colon': () => [{}, { headers: [basic('zapier')] }],
    'Basic that is malformed': () => [{}, { headers: [['Authorization', 'Basic ~~~']] }],
    'Basic with a malformed escape': () => [{}, { headers: [basic(`zapier:%${secret}`)] }],
  };
  for (const [what, credentials] of Object.entries(refusals)) {
    it(`answer 401 invalid_client with a challenge to ${what}, and leave code and token usable`, async () => {
      const { body: tokens } = await access(inBody());
      const sameCode = await code();
      for (const answer of [
        await access({ code: sameCode, ...credentials()[0] }, credentials()[1]),
        await refresh(tokens.refresh_token, ...credentials()),
        await refreshAt('/access', tokens.refresh_token, ...credentials()),
      ]) {
        expect(answer.status).to.equal(401);
        expect(answer.body).to.include({ error: 'invalid_client' });
        expect(answer.headers['www-authenticate']).to.equal('Basic realm="flow-hooks"');
        expect(answer.headers['cache-control']).to.equal('no-store');
        expect(JSON.stringify(answer.body)).to.not.include(secret);
      }
      expect((await access({ code: sameCode, ...inBody() })).status).to.equal(200);
      expect((await refresh(tokens.refresh_token, inBody())).status).to.equal(200);
    });
  }

  it('answer 400 invalid_request to credentials that are sent in two ways or repeated', async () => {
    const header = basic(`zapier:${secret}`);
    for (const [fields, headers] of [
      [{ client_secret: secret }, [header]],
      [{ client_id: 'make' }, [header]],
      [{}, [header, header]],
      [{ client_secret: secret }, []],
    ] as const) {
      const { status, body } = await access(fields as Body, { headers });
      expect(status).to.equal(400);
      expect(body).to.include({ error: 'invalid_request' });
    }
  });

  it('bind a code to its client and redirect URI', async () => {
    await service.operate({ ...zapier, clientId: 'make', redirectUris: ['https://make.example/cb'] });
    for (const wrong of [
      { code: await code({ clientId: undefined }) },
      { code: await code({ clientId: 'make' }) },
      { code: await code({ redirectUri: undefined }) },
      { code: await code({ redirectUri: 'https://make.example/cb' }) },
      { redirect_uri: `${redirectUri}?x=1` },
    ] as Body[]) {
      expect((await access({ ...inBody(), ...wrong })).body, JSON.stringify(wrong)).to.include({
        error: 'invalid_grant',
      });
    }
    expect((await access({ ...inBody(), redirect_uri: redirectUri })).status).to.equal(200);
  });

  it('bind a refresh token to its client', async () => {
    const make = await service.operate({ ...zapier, clientId: 'make' });
    const { body } = await access(inBody());
    const ofMake = { client_id: 'make', client_secret: make.clientSecret ?? '' };
    for (const path of ['/refresh', '/access'] as const) {
      const refused = await refreshAt(path, body.refresh_token, ofMake);
      expect(refused.status).to.equal(400);
      expect(refused.body).to.include({ error: 'invalid_grant' });
    }
    expect((await refresh(body.refresh_token, inBody())).status).to.equal(200);
  });

  it('require PKCE of a public client, which has no secret', async () => {
    await service.operate({ ...zapier, clientId: 'app', type: 'public' });
    const codeOf = (codeChallenge?: string) => service.code(codeChallenge, { clientId: 'app', redirectUri });
    const client_id = 'app';
    expect((await access({ code: await codeOf(), client_id })).body).to.include({ error: 'invalid_grant' });
    expect((await access({ code: await codeOf(challenge), client_id })).body).to.include({ error: 'invalid_grant' });
    const proven = { code: await codeOf(challenge), code_verifier: verifier };
    const withSecret = await access({ ...proven, client_id, client_secret: secret });
    expect(withSecret.body).to.include({ error: 'invalid_client' });
    const { status, body } = await access(proven, { headers: [basic('app:')] });
    expect(status).to.equal(200);
    expect((await refresh(body.refresh_token, { client_id })).status).to.equal(200);
    expect((await refresh(body.refresh_token)).status).to.equal(401);
  });

  it('name the client and the granted scope in access tokens (RFC 9068)', async () => {
    const first = await access({ ...inBody(), code: await code({ scope: 'listeners' }) });
    expect(first.body).to.include({ scope: 'listeners' });
    expect(decodeJwt(first.body.access_token ?? '')).to.include({ client_id: 'zapier', scope: 'listeners' });
    const all = await access(inBody());
    const { body: less } = await refresh(all.body.refresh_token, { ...inBody(), scope: 'flows:publish' });
    expect(less).to.include({ scope: 'flows:publish' });
    expect(decodeJwt(less.access_token ?? '')).to.include({ scope: 'flows:publish' });
    expect((await service.accessTokens.verify(less.access_token ?? '')).scopes).to.deep.equal(['flows:publish']);
    const { body: more } = await refresh(less.refresh_token, { ...inBody(), scope: 'listeners admin' });
    expect(more).to.include({ error: 'invalid_scope' });
    const { body: again } = await refresh(less.refresh_token, inBody());
    expect(again, 'a narrower token does not narrow the session').to.include({ scope: 'listeners flows:publish' });
  });

  it('accept both secrets during a rotation', async () => {
    const { body } = await access(inBody());
    const rotation = { change: 'rotate-secret', clientId: 'zapier', overlapHours: 1, discardNewest: false } as const;
    const newSecret = (await service.operate(rotation)).clientSecret ?? '';
    const ofNew = { client_id: 'zapier', client_secret: newSecret };
    expect((await refresh(body.refresh_token, inBody())).status).to.equal(200);
    expect((await refresh(body.refresh_token, ofNew)).status).to.equal(200);
    service.wait(3_600_000);
    expect((await access(inBody())).status).to.equal(401);
    expect((await access(ofNew)).status).to.equal(200);
  });

  it('refuse the access and refresh tokens of a removed client, and of its last one too', async () => {
    const { body } = await access(inBody());
    const token = body.access_token ?? '';
    expect(await service.accessTokens.verify(token)).to.include({ clientId: 'zapier' });
    await service.operate({ change: 'remove', clientId: 'zapier' });
    expect(await rejection(service.accessTokens.verify(token))).to.be.instanceOf(Unauthenticated);
    expect((await refresh(body.refresh_token)).body).to.include({ error: 'invalid_grant' });
  });

  it('withdraw a scope that a client loses from its access tokens at once', async () => {
    const { body } = await access(inBody());
    const scopes = async () => (await service.accessTokens.verify(body.access_token ?? '')).scopes;
    expect(await scopes()).to.deep.equal(['listeners', 'flows:publish']);
    await service.operate({ change: 'change', clientId: 'zapier', scopes: ['listeners'] });
    expect(await scopes()).to.deep.equal(['listeners']);
    expect((await refresh(body.refresh_token, inBody())).body).to.include({ scope: 'listeners' });
  });
});

describe('sessions that began before the first client was registered', () => {
  for (const path of ['/refresh', '/access'])
    it(`go on at ${path} without credentials, and with unknown ones, until a client presents its own`, async () => {
      const service = await tokenService();
      const server = await serveTokens(service);
      const refresh = async (refresh_token: string, more: Body = {}) => {
        const form = { grant_type: 'refresh_token', refresh_token, ...more };
        const answer = await fetch(`${server.origin}${path}`, { method: 'POST', body: new URLSearchParams(form) });
        return { status: answer.status, body: (await answer.json()) as Body };
      };
      const before = await service.exchange(await service.code());
      expect(decodeJwt(before.accessToken)).to.not.have.any.keys('client_id', 'scope');
      const { clientSecret = '' } = await service.operate(zapier);
      expect((await service.accessTokens.verify(before.accessToken)).scopes).to.equal(null);

      const first = await refresh(before.refreshToken);
      expect(first.status).to.equal(200);
      expect(first.body).to.not.have.property('scope');
      const second = await refresh(first.body.refresh_token ?? '', { client_id: 'old', client_secret: 'as-before' });
      expect(second.status).to.equal(200);
      const credentials = { client_id: 'zapier', client_secret: clientSecret };
      const bound = await refresh(second.body.refresh_token ?? '', credentials);
      expect(bound.body).to.include({ scope: 'listeners flows:publish' });
      expect((await refresh(bound.body.refresh_token ?? '')).body).to.include({ error: 'invalid_client' });
      expect((await refresh(bound.body.refresh_token ?? '', credentials)).status).to.equal(200);
      await server.stop(0);
      await service.close();
    });
});
