import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Router from '@koa/router';
import { expect } from 'chai';
import { pino } from 'pino';
import type { ApiKeyGrant } from '../../../src/access/identity/caller.js';
import { type IdentitySettings, identityOf } from '../../../src/access/identity/identify.js';
import { createApp } from '../../../src/http/app.js';
import type { RequestState } from '../../../src/http/context.js';
import { Unauthenticated } from '../../../src/http/errors.js';
import { trustedPeers } from '../../../src/http/trusted-peers.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { rawRequest } from '../../support/service/raw-request.js';

/** API keys by their text. */
const grants = new Map<string, ApiKeyGrant>([
  ['fhk_acme', { apiKeyId: 'k-1', orgId: 'acme', scopes: ['flows:publish', 'listeners:write'] }],
  ['fhk_all', { apiKeyId: 'k-2', orgId: null, scopes: ['flows:publish', 'listeners:write'] }],
  ['fhk_reads', { apiKeyId: 'k-3', orgId: 'acme', scopes: ['listeners:read'] }],
]);

/** Routes that answer with the identified caller. `trustedGateways`: CIDR ranges; the tests call from 127.0.0.1. */
async function serve({
  trustedGateways = [],
  ...overrides
}: Partial<IdentitySettings> & { trustedGateways?: readonly string[] }) {
  const identity = identityOf({
    believeEveryone: false,
    verifyApiKey: async (_, token) => grants.get(token),
    checkingKey: (_, __, check) => check(),
    adminKeys: new Map([
      ['ops', { key: 'an-admin-key-of-some-length', role: 'operator' }],
      ['eve', { key: 'a-key-for-viewing-only', role: 'viewer' }],
    ]),
    async verifyOperatorToken(token) {
      return token === 'fho_grace' ? { actor: 'console:grace', role: 'operator' } : undefined;
    },
    bearerToken: (ctx) =>
      ctx.get('authorization') === '' ? undefined : ctx.get('authorization').replace('Bearer ', ''),
    verifyAccessToken: async (token) => {
      if (token !== 'good') throw new Unauthenticated('the access token is not good');
      return { userId: 'ada', orgId: 'acme', clientId: null, scopes: null };
    },
    ...overrides,
  });
  const router = new Router<RequestState>();
  router.get('/member', async (ctx) => {
    ctx.body = await identity.member(ctx);
  });
  router.get('/organisation', async (ctx) => {
    ctx.body = await identity.organisation(ctx);
  });
  router.get('/if-accepted', async (ctx) => {
    ctx.body = (await identity.organisationIfAccepted(ctx)) ?? {};
  });
  router.get('/publisher', async (ctx) => {
    const { orgId, ...publisher } = await identity.publisher(ctx);
    ctx.body = { orgId: orgId ?? null, ...publisher };
  });
  router.get('/bearer', async (ctx) => {
    ctx.body = await identity.requireBearer(ctx, [ctx.query.scope ?? []].flat());
  });
  router.get('/administrator', async (ctx) => {
    ctx.body = await identity.administrator(ctx);
  });
  const app = createApp(
    {
      log: pino({ level: 'silent' }),
      loopbackNamesOnly: false,
      maxConcurrentRequests: 10,
      peers: trustedPeers({ trustedProxies: ['127.0.0.0/8'], trustedGateways }),
      answerTokenError: () => false,
    },
    { routes: [router] },
  );
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    get: (path: string, headers: readonly (readonly [string, string])[] = []) => rawRequest(port, path, headers),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

describe('the identity of a caller', () => {
  let service: Awaited<ReturnType<typeof serve>>;
  afterEach(() => service.close());

  const bearer = ['Authorization', 'Bearer good'] as const;

  describe('in production, from a peer that is not a trusted gateway', () => {
    beforeEach(async () => {
      service = await serve({});
    });

    it('does not trust headers without a token, and requires a token', async () => {
      const { status, headers } = await service.get('/member', [
        ['orgid', 'acme'],
        ['userid', 'ada'],
      ]);
      expect(status).to.equal(401);
      expect(headers['www-authenticate']).to.equal('Bearer realm="flow-hooks"');
    });

    it('answers 401, never 403, to an invalid token, so that the platform refreshes it', async () => {
      const { status, headers } = await service.get('/member', [
        ['Authorization', 'Bearer stale'],
        ['orgid', 'acme'],
      ]);
      expect(status).to.equal(401);
      expect(headers['www-authenticate']).to.include('error="invalid_token"');
    });

    it('accepts headers that match the token', async () => {
      const { body } = await service.get('/member', [bearer, ['orgid', 'acme'], ['userid', 'ada']]);
      expect(body).to.eql({ orgId: 'acme', userId: 'ada', actor: 'user:ada' });
    });

    it('refuses headers with another organisation or user than the token', async () => {
      expect((await service.get('/member', [bearer, ['orgid', 'other'], ['userid', 'ada']])).status).to.equal(403);
      expect((await service.get('/member', [bearer, ['orgid', 'acme'], ['userid', 'bob']])).status).to.equal(403);
    });

    it('requires the headers on the routes of the specification, although the token has the same IDs', async () => {
      expect((await service.get('/member', [bearer, ['orgid', 'acme']])).status).to.equal(400);
      expect((await service.get('/organisation', [bearer])).status).to.equal(400);
    });

    it("allows publishing for the token's organisation without headers", async () => {
      expect((await service.get('/publisher', [bearer])).body).to.eql({ orgId: 'acme', actor: 'user:ada' });
    });

    it('allows publishing for any organisation with an admin key', async () => {
      const { body } = await service.get('/publisher', [['Authorization', 'Bearer an-admin-key-of-some-length']]);
      expect(body).to.eql({ orgId: null, actor: 'admin:ops' });
    });

    it('refuses publishing with the admin key of a viewer', async () => {
      const { status } = await service.get('/publisher', [['Authorization', 'Bearer a-key-for-viewing-only']]);
      expect(status).to.equal(403);
    });
  });

  describe('of perform-list, which needs none', () => {
    const caller = async (...headers: readonly (readonly [string, string])[]) =>
      (await service.get('/if-accepted', headers)).body;
    const key = (text: string) => ['Authorization', `Bearer ${text}`] as const;

    it('is that of an access token or an API key that may read listeners, in production', async () => {
      service = await serve({});
      expect(await caller(bearer)).to.eql({ orgId: 'acme', actor: 'user:ada' });
      expect(await caller(bearer, ['orgid', 'acme'])).to.eql({ orgId: 'acme', actor: 'user:ada' });
      expect(await caller(key('fhk_reads'))).to.eql({ orgId: 'acme', actor: 'api-key:k-3', apiKeyId: 'k-3' });
    });

    it('is none for anybody else', async () => {
      service = await serve({});
      for (const headers of [
        [],
        [['orgid', 'acme']],
        [key('stale')],
        [key('fhk_acme')],
        [key('an-admin-key-of-some-length'), ['orgid', 'acme']],
        [bearer, ['orgid', 'other']],
        [key('fhk_reads'), ['orgid', 'other']],
        [bearer, ['orgid', 'acme'], ['orgid', 'other']],
        [['Authorization', 'Basic YTpi']],
      ] as const)
        expect(await caller(...headers), JSON.stringify(headers)).to.eql({});
    });

    it('is that of trusted headers', async () => {
      service = await serve({ trustedGateways: ['127.0.0.0/8'] });
      expect(await caller(['orgid', 'acme'])).to.eql({ orgId: 'acme', actor: 'organisation:acme' });
      expect(await caller()).to.eql({});
      expect(await caller(key('stale'), ['orgid', 'acme'])).to.eql({});
    });

    it('is none without the scope listeners', async () => {
      const verifyAccessToken = async () => ({
        userId: 'ada',
        orgId: 'acme',
        clientId: 'zapier',
        scopes: ['flows:publish'] as const,
      });
      service = await serve({ verifyAccessToken });
      expect(await caller(bearer)).to.eql({});
    });

    it('fails where it cannot be checked', async () => {
      const verifyAccessToken = () => Promise.reject(new StoreUnavailable('the store is down'));
      service = await serve({ verifyAccessToken });
      expect((await service.get('/if-accepted', [bearer])).status).to.equal(503);
    });
  });

  describe('of GET /test, which checks any token', () => {
    beforeEach(async () => {
      service = await serve({});
    });
    const status = async (token: string, scope = '', ...headers: (readonly [string, string])[]) => {
      const query = scope
        .split(' ')
        .filter(Boolean)
        .map((each) => `scope=${each}`);
      const answer = await service.get(`/bearer?${query.join('&')}`, [
        ['Authorization', `Bearer ${token}`],
        ...headers,
      ]);
      return answer.status;
    };

    it('is that of an access token, an API key or an admin key', async () => {
      for (const token of ['good', 'fhk_acme', 'fhk_all', 'fhk_reads', 'a-key-for-viewing-only'])
        expect(await status(token), token).to.equal(200);
      expect(await status('fhk_wrong')).to.equal(401);
      expect((await service.get('/bearer', [['orgid', 'acme']])).status).to.equal(401);
    });

    it('has all the requested scopes', async () => {
      expect(await status('fhk_acme', 'flows:publish listeners:write')).to.equal(200);
      expect(await status('fhk_acme', 'flows:publish listeners:read')).to.equal(403);
      expect(await status('good', 'listeners flows:publish')).to.equal(200);
      expect(await status('good', 'listeners:write')).to.equal(403);
      expect(await status('an-admin-key-of-some-length', 'flows:publish flows:read deliveries:read')).to.equal(200);
      expect(await status('a-key-for-viewing-only', 'flows:publish')).to.equal(403);
      expect(await status('an-admin-key-of-some-length', 'listeners:write')).to.equal(403);
    });

    it('agrees with the headers', async () => {
      expect(await status('fhk_acme', '', ['orgid', 'acme'], ['userid', 'bob'])).to.equal(200);
      expect(await status('fhk_acme', '', ['orgid', 'other'])).to.equal(403);
      expect(await status('fhk_all', '', ['orgid', 'other'])).to.equal(200);
      expect(await status('good', '', ['orgid', 'other'])).to.equal(403);
      expect(await status('good', '', ['userid', 'bob'])).to.equal(403);
    });
  });

  describe('with the token of a client', () => {
    const token = (...scopes: readonly ('listeners' | 'flows:publish')[]) => ({
      verifyAccessToken: async () => ({ userId: 'ada', orgId: 'acme', clientId: 'zapier', scopes }),
    });
    const ids = [bearer, ['orgid', 'acme'], ['userid', 'ada']] as const;
    const statuses = async () =>
      Promise.all(
        ['/member', '/organisation', '/publisher'].map(async (path) => (await service.get(path, ids)).status),
      );

    it('allows listeners with the scope listeners, and publishing with the scope flows:publish', async () => {
      service = await serve(token('listeners'));
      expect(await statuses()).to.deep.equal([200, 200, 403]);
      await service.close();
      service = await serve(token('flows:publish'));
      expect(await statuses()).to.deep.equal([403, 403, 200]);
      await service.close();
      service = await serve(token('listeners', 'flows:publish'));
      expect(await statuses()).to.deep.equal([200, 200, 200]);
    });

    it('names the missing scope in the challenge (RFC 6750 §3.1), before it validates the headers', async () => {
      service = await serve(token());
      const answer = await service.get('/member', [bearer]);
      expect(answer.status).to.equal(403);
      expect(answer.body).to.include({ error: 'insufficient_scope' });
      expect(answer.headers['www-authenticate']).to.equal(
        'Bearer realm="flow-hooks", error="insufficient_scope", scope="listeners"',
      );
    });
  });

  describe('from a trusted gateway', () => {
    beforeEach(async () => {
      service = await serve({ trustedGateways: ['127.0.0.0/8'] });
    });

    it('trusts the headers', async () => {
      const { body } = await service.get('/member', [
        ['orgid', 'acme'],
        ['userid', 'ada'],
      ]);
      expect(body).to.include({ orgId: 'acme', userId: 'ada' });
    });

    it('verifies a token if one is sent', async () => {
      const { status } = await service.get('/member', [
        ['Authorization', 'Bearer stale'],
        ['orgid', 'acme'],
      ]);
      expect(status).to.equal(401);
    });

    it('publishes only for the organisation in the header', async () => {
      expect((await service.get('/publisher')).status).to.equal(400);
    });
  });

  describe('the headers', () => {
    beforeEach(async () => {
      service = await serve({ believeEveryone: true });
    });

    it('may be written orgid or orgId', async () => {
      expect((await service.get('/organisation', [['orgId', 'acme']])).body).to.include({ orgId: 'acme' });
      expect((await service.get('/organisation', [['orgid', 'acme']])).body).to.include({ orgId: 'acme' });
    });

    it('may repeat the same value, but not have different values', async () => {
      expect(
        (
          await service.get('/organisation', [
            ['orgid', 'acme'],
            ['orgId', 'acme'],
          ])
        ).status,
      ).to.equal(200);
      expect(
        (
          await service.get('/organisation', [
            ['orgid', 'acme'],
            ['orgId', 'other'],
          ])
        ).status,
      ).to.equal(400);
    });

    it('contain 1 to 256 printable characters, in UTF-8', async () => {
      const orgId = Buffer.from('Ærø 株式会社').toString('latin1');
      expect((await service.get('/organisation', [['orgid', orgId]])).body).to.include({ orgId: 'Ærø 株式会社' });
      expect((await service.get('/organisation', [['orgid', 'x'.repeat(257)]])).status).to.equal(400);
      expect((await service.get('/organisation', [['orgid', '']])).status).to.equal(400);
      expect((await service.get('/organisation', [['orgid', '\xff']])).status).to.equal(400);
    });

    it('are optional for publishing in development mode, which trusts the body', async () => {
      expect((await service.get('/publisher')).body).to.include({ orgId: null });
    });
  });

  describe('with an API key', () => {
    beforeEach(async () => {
      service = await serve({});
    });

    const withKey = (path: string, key: string, ...headers: (readonly [string, string])[]) =>
      service.get(path, [['Authorization', `Bearer ${key}`], ...headers]);

    it('is the organisation of the key, which needs no headers', async () => {
      const apiKeyId = 'k-1';
      const actor = 'api-key:k-1';
      expect((await withKey('/publisher', 'fhk_acme')).body).to.eql({ orgId: 'acme', actor, apiKeyId });
      expect((await withKey('/organisation', 'fhk_acme')).body).to.eql({ orgId: 'acme', actor, apiKeyId });
      expect((await withKey('/member', 'fhk_acme')).body).to.eql({ orgId: 'acme', userId: actor, actor, apiKeyId });
      const named = await withKey('/member', 'fhk_acme', ['orgid', 'acme'], ['userid', 'ada']);
      expect(named.body).to.eql({ orgId: 'acme', userId: 'ada', actor, apiKeyId });
    });

    it('is refused for another organisation', async () => {
      for (const path of ['/publisher', '/organisation', '/member']) {
        const { status, body } = await withKey(path, 'fhk_acme', ['orgid', 'other'], ['userid', 'ada']);
        expect({ status, error: (body as { error: string }).error }, path).to.eql({ status: 403, error: 'forbidden' });
      }
    });

    it('is refused with a userid that is none, on every route', async () => {
      for (const path of ['/publisher', '/organisation', '/member']) {
        const { status } = await withKey(path, 'fhk_acme', ['orgid', 'acme'], ['userid', 'x'.repeat(257)]);
        expect(status, path).to.equal(400);
      }
    });

    it('is the organisation in the header if the key is for all', async () => {
      const apiKeyId = 'k-2';
      const actor = 'api-key:k-2';
      expect((await withKey('/publisher', 'fhk_all')).body).to.eql({ orgId: null, actor, apiKeyId });
      expect((await withKey('/publisher', 'fhk_all', ['orgid', 'other'])).body).to.eql({
        orgId: 'other',
        actor,
        apiKeyId,
      });
      expect((await withKey('/organisation', 'fhk_all', ['orgid', 'other'])).body).to.eql({
        orgId: 'other',
        actor,
        apiKeyId,
      });
      expect((await withKey('/organisation', 'fhk_all')).status).to.equal(400);
      expect((await withKey('/member', 'fhk_all')).status).to.equal(400);
    });

    it('needs the scope of the route, which the answer names', async () => {
      for (const [path, scope] of [
        ['/publisher', 'flows:publish'],
        ['/organisation', 'listeners:write'],
        ['/member', 'listeners:write'],
      ] as const) {
        const { status, headers, body } = await withKey(path, 'fhk_reads', ['orgid', 'acme'], ['userid', 'ada']);
        expect(status, path).to.equal(403);
        expect(body).to.include({ error: 'insufficient_scope' });
        expect(headers['www-authenticate']).to.equal(
          `Bearer realm="flow-hooks", error="insufficient_scope", scope="${scope}"`,
        );
      }
    });

    it('is told apart from the holder of an admin key', async () => {
      expect((await withKey('/administrator', 'fhk_reads')).body).to.eql({
        actor: 'api-key:k-3',
        apiKey: grants.get('fhk_reads'),
      });
    });
  });

  for (const [mode, overrides] of [
    ['production', {}],
    ['development mode, which believes everyone else', { believeEveryone: true }],
    ['production, from a trusted gateway', { trustedGateways: ['127.0.0.0/8'] }],
  ] as const) {
    describe(`on a route for administrators, in ${mode}`, () => {
      beforeEach(async () => {
        service = await serve(overrides);
      });

      it('accepts an admin key, whose name is the actor, and the token of an operator', async () => {
        const { status, body } = await service.get('/administrator', [
          ['Authorization', 'Bearer an-admin-key-of-some-length'],
        ]);
        expect({ status, body }).to.deep.equal({ status: 200, body: { actor: 'admin:ops', role: 'operator' } });
        const ofOperator = await service.get('/administrator', [['Authorization', 'Bearer fho_grace']]);
        expect(ofOperator.body).to.deep.equal({ actor: 'console:grace', role: 'operator' });
      });

      it('does not accept headers, and requires a key', async () => {
        const { status, headers } = await service.get('/administrator', [
          ['orgid', 'acme'],
          ['userid', 'ada'],
        ]);
        expect(status).to.equal(401);
        expect(headers['www-authenticate']).to.equal('Bearer realm="flow-hooks"');
      });

      it('refuses access tokens and unknown keys', async () => {
        expect((await service.get('/administrator', [bearer])).status).to.equal(403);
        const other = await service.get('/administrator', [['Authorization', 'Bearer an-admin-key-of-some-lengtH']]);
        expect(other.status).to.equal(401);
        expect(other.headers['www-authenticate']).to.match(/error="invalid_token"/);
      });
    });
  }
});
