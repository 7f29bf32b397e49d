import { expect } from 'chai';
import type { OperateClient } from '../../../src/access/clients/operate-clients.js';
import type { Identity } from '../../../src/access/identity/caller.js';
import { findTokenWith } from '../../../src/access/sessions/introspect-token.js';
import {
  introspection,
  introspectionCaller,
  revocation,
  revocationCaller,
} from '../../../src/access/sessions/routes.js';
import { limitFailures } from '../../../src/access/token-errors.js';
import { Forbidden } from '../../../src/http/errors.js';
import { limiter } from '../../../src/http/limits/limiter.js';
import { requestLimits } from '../../../src/http/limits/request-limits.js';
import type { Listening } from '../../../src/http/listen.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rawRequest } from '../../support/service/raw-request.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { day, limits } from '../tokens/fixtures.js';
import { faultyStore, serveTokens, type TokenService, tokenService } from '../tokens/token-service.js';

type Body = Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, string>>;

const redirectUri = 'https://zapier.example/callback';
const client = (clientId: string, type: 'confidential' | 'public' = 'confidential'): OperateClient => ({
  change: 'register',
  clientId,
  name: clientId,
  type,
  redirectUris: [redirectUri],
  scopes: ['listeners'],
});
const maxFailures = 30;
const adminKey = 'Bearer an-admin-key';
const identity: Pick<Identity, 'administrator'> = {
  async administrator(ctx) {
    if (ctx.get('authorization') !== adminKey) throw new Forbidden('this is not an admin key');
    return { actor: 'admin:ops', role: 'viewer' };
  },
};

describe('the routes about tokens', () => {
  let service: TokenService;
  let server: Listening;
  let faults: ReturnType<typeof faultyStore>;
  beforeEach(async () => {
    faults = faultyStore(openSqliteEventStore({ directory: temporaryDirectory() }));
    service = await tokenService({ store: faults.store });
    const requests = requestLimits({ failures: limiter('failures', { count: maxFailures, windowMs: 60_000 }) });
    const { clients } = service;
    const common = { ...service, findToken: findTokenWith(service), limits, limited: limitFailures(requests, clients) };
    const routes = [
      revocation({ ...common, authenticate: revocationCaller(clients) }),
      introspection({ ...common, authenticate: introspectionCaller(identity, clients) }),
    ];
    server = await serveTokens(service, undefined, { more: routes, limits: requests });
  });
  afterEach(async () => {
    await server.stop(0);
    await service.close();
  });

  async function post(path: string, fields: Fields, authorization?: string) {
    const headers: [string, string][] = [['Content-Type', 'application/x-www-form-urlencoded']];
    if (authorization !== undefined) headers.push(['Authorization', authorization]);
    const body = new URLSearchParams(fields).toString();
    const answer = await rawRequest(Number(new URL(server.origin).port), path, headers, { method: 'POST', body });
    return { ...answer, body: answer.body as Body };
  }
  const basic = (clientId: string, secret: string) => `Basic ${btoa(`${clientId}:${secret}`)}`;
  const signIn = async () => service.exchange(await service.code());
  /** Begins a session of a client. */
  async function connect(clientId: string, secret: string): Promise<{ access: string; refresh: string }> {
    const code = await service.code(undefined, { clientId, redirectUri });
    const { body } = await post('/access', { grant_type: 'authorization_code', code }, basic(clientId, secret));
    return { access: String(body.access_token), refresh: String(body.refresh_token) };
  }
  const register = async (clientId: string) => (await service.operate(client(clientId))).clientSecret ?? '';
  const introspect = async (token: string, authorization = adminKey) =>
    (await post('/introspect', { token }, authorization)).body;
  const revoke = (token: string, authorization?: string, more: Fields = {}) =>
    post('/revoke', { token, ...more }, authorization);

  it('count refusals as failed token requests', async () => {
    await register('zapier');
    const wrong = basic('zapier', 'wrong');
    for (let failure = 0; failure < maxFailures; failure += 1)
      expect((await post(failure % 2 ? '/revoke' : '/introspect', { token: 'x' }, wrong)).status).to.equal(401);
    expect(await post('/introspect', { token: 'x' }, wrong)).to.include({ status: 429 });
    expect(await post('/revoke', { token: 'x' }, wrong)).to.include({ status: 429 });
    expect(await post('/access', { grant_type: 'authorization_code', code: 'x' }, wrong)).to.include({ status: 429 });
  });

  describe('POST /introspect', () => {
    it('describes an access token and a refresh token, not to be cached', async () => {
      const { accessToken, refreshToken } = await signIn();
      const { status, headers, body } = await post('/introspect', { token: accessToken }, adminKey);
      expect([status, headers['cache-control']]).to.eql([200, 'no-store']);
      expect(body).to.include({ active: true, token_type: 'Bearer', sub: 'ada', org_id: 'acme' });
      expect(body).to.include({ iss: service.issuer, aud: service.issuer });
      expect([Number(body.exp) - Number(body.iat), typeof body.jti]).to.eql([3_600, 'string']);
      expect(body).not.to.have.any.keys('client_id', 'scope');
      const refresh = await introspect(refreshToken);
      expect(refresh).to.include({ active: true, sub: 'ada', org_id: 'acme', sid: body.sid });
      expect(Number(refresh.exp) - Number(refresh.iat)).to.equal((90 * day) / 1_000);
      expect(refresh).not.to.have.property('token_type');
    });

    it('answers no more than that a token is inactive', async () => {
      const { accessToken, refreshToken } = await signIn();
      const other = await tokenService({ generations: ['g2'] });
      const foreign = await other.exchange(await other.code());
      for (const token of ['x', 'a.b.c', foreign.accessToken, foreign.refreshToken]) {
        expect(await introspect(token)).to.eql({ active: false });
      }
      await other.close();
      service.wait(3_600_000);
      expect(await introspect(accessToken)).to.eql({ active: false });
      expect(await introspect(refreshToken)).to.include({ active: true });
      service.wait(90 * day);
      expect(await introspect(refreshToken)).to.eql({ active: false });
    });

    it('knows a rotated refresh token during the grace time only', async () => {
      const { refreshToken } = await signIn();
      const next = await service.refresh(refreshToken);
      expect(await introspect(refreshToken)).to.include({ active: true });
      service.wait(limits.refreshGraceMs);
      expect(await introspect(refreshToken)).to.eql({ active: false });
      expect(await introspect(next.refreshToken)).to.include({ active: true });
    });

    it('requires an admin key, or the secret of a client', async () => {
      const { accessToken } = await signIn();
      const without = await post('/introspect', { token: accessToken });
      expect([without.status, without.headers['www-authenticate']]).to.eql([401, 'Bearer realm="flow-hooks"']);
      expect((await post('/introspect', { token: accessToken }, `Bearer ${accessToken}`)).status).to.equal(403);
      await register('zapier');
      const wrong = await post('/introspect', { token: accessToken }, basic('zapier', 'wrong'));
      expect([wrong.status, wrong.body.error]).to.eql([401, 'invalid_client']);
      await service.operate(client('mobile', 'public'));
      const ofPublic = await post('/introspect', { token: accessToken, client_id: 'mobile' });
      expect([ofPublic.status, ofPublic.body.error]).to.eql([401, 'invalid_client']);
    });

    it('tells a client about its own tokens only', async () => {
      const [zapier, make] = [await register('zapier'), await register('make')];
      const { access, refresh } = await connect('zapier', zapier);
      for (const token of [access, refresh]) {
        expect(await introspect(token, basic('zapier', zapier))).to.include({
          active: true,
          client_id: 'zapier',
          scope: 'listeners',
        });
        expect(await introspect(token, basic('make', make))).to.eql({ active: false });
      }
    });

    it('knows neither tokens of a removed client, nor scopes that the client has lost', async () => {
      const secret = await register('zapier');
      const { access, refresh } = await connect('zapier', secret);
      await service.operate({ change: 'change', clientId: 'zapier', scopes: ['flows:publish'] });
      for (const token of [access, refresh]) expect(await introspect(token)).to.include({ active: true, scope: '' });
      await register('make');
      await service.operate({ change: 'remove', clientId: 'zapier' });
      for (const token of [access, refresh]) expect(await introspect(token)).to.eql({ active: false });
    });

    it('requires the token once, in a form or JSON', async () => {
      for (const fields of [{}, { token: '' }]) {
        const { status, body } = await post('/introspect', fields as Fields, adminKey);
        expect([status, body]).to.eql([400, { error: 'invalid_request', error_description: 'token is missing' }]);
      }
    });
  });

  describe('POST /revoke', () => {
    it('ends the session of a refresh token, whatever the hint says: all its tokens are refused', async () => {
      const { accessToken, refreshToken } = await signIn();
      const { status, headers, body } = await revoke(refreshToken, undefined, { token_type_hint: 'access_token' });
      expect([status, headers['cache-control'], body]).to.eql([200, 'no-store', {}]);
      for (const token of [accessToken, refreshToken]) expect(await introspect(token)).to.eql({ active: false });
      const refused = await post('/refresh', { grant_type: 'refresh_token', refresh_token: refreshToken });
      expect([refused.status, refused.body.error]).to.eql([400, 'invalid_grant']);
    });

    it('ends the session of an access token, and of a refresh token that was rotated', async () => {
      const first = await signIn();
      await revoke(first.accessToken);
      expect(await introspect(first.refreshToken)).to.eql({ active: false });
      const second = await signIn();
      const { refreshToken } = await service.refresh(second.refreshToken);
      service.wait(limits.refreshGraceMs);
      await revoke(second.refreshToken);
      expect(await introspect(refreshToken)).to.eql({ active: false });
    });

    it('answers 200 for a token that is not known or no longer active, and revokes nothing else', async () => {
      const { refreshToken } = await signIn();
      const other = await signIn();
      for (const token of ['x', 'a.b.c', `${other.refreshToken.slice(0, -4)}AAAA`]) {
        expect((await revoke(token)).status).to.equal(200);
      }
      await revoke(refreshToken);
      expect((await revoke(refreshToken)).status).to.equal(200);
      expect(await introspect(other.refreshToken)).to.include({ active: true });
    });

    it('accepts a client’s token from that client only', async () => {
      const [zapier, make] = [await register('zapier'), await register('make')];
      const { access, refresh } = await connect('zapier', zapier);
      for (const token of [access, refresh]) {
        const without = await revoke(token);
        expect([without.status, without.body.error]).to.eql([401, 'invalid_client']);
        const ofOther = await revoke(token, basic('make', make));
        expect([ofOther.status, ofOther.body.error]).to.eql([400, 'invalid_grant']);
      }
      expect((await revoke('x', basic('zapier', 'wrong'))).status).to.equal(401);
      expect(await introspect(access)).to.include({ active: true });
      expect((await revoke(refresh, basic('zapier', zapier))).status).to.equal(200);
      expect(await introspect(access)).to.eql({ active: false });
    });

    it('accepts the token of a session without a client from its holder, also after clients were registered', async () => {
      const { refreshToken } = await signIn();
      await register('zapier');
      expect((await revoke(refreshToken)).status).to.equal(200);
      expect(await introspect(refreshToken)).to.eql({ active: false });
    });

    it('answers 503 with Retry-After while the store fails, so that the caller asks again', async () => {
      const { refreshToken } = await signIn();
      faults.failing('before', new StoreUnavailable('down'));
      const { status, headers } = await revoke(refreshToken);
      expect([status, headers['retry-after']]).to.eql([503, '5']);
      faults.working();
      expect(await introspect(refreshToken)).to.include({ active: true });
    });
  });
});
