import Router from '@koa/router';
import { expect } from 'chai';
import type { AdminKeys, AdminRole } from '../../../src/access/admin-keys.js';
import { masterKeys } from '../../../src/access/keys/master-keys.js';
import { type ConsoleSessionSettings, consoleSessions } from '../../../src/console/session/console-sessions.js';
import type { RequestState, Routes } from '../../../src/http/context.js';
import { serveRoutes } from '../../support/service/serve-routes.js';

const master = masterKeys(new Map([['g1', Buffer.alloc(32, 1)]]));
const opsKey = 'an-admin-key-of-ops';
const issuer = 'https://idp.example';
const provider = { issuer, roles: { readers: 'viewer' }, signedInSince: undefined } as const;
const keysWith = (key: string, role: AdminRole): AdminKeys => new Map([['ops', { key, role }]]);

/** Sets and reads cookies over HTTP; what is found is the answer's body. */
async function withSessions<Result>(
  changes: Partial<ConsoleSessionSettings>,
  use: (
    begin: (how: 'key' | 'provider') => Promise<string>,
    find: (cookie: string) => Promise<unknown>,
  ) => Promise<Result>,
): Promise<Result> {
  const sessions = consoleSessions({
    masterKeys: master,
    now: () => new Date(),
    adminKeys: keysWith(opsKey, 'operator'),
    provider,
    secure: true,
    ...changes,
  });
  const router: Routes = new Router<RequestState>();
  router.get('/begin/key', async (ctx) => {
    ctx.body = { begun: await sessions.beginWithKey(ctx, opsKey) };
  });
  router.get('/begin/provider', async (ctx) => {
    await sessions.beginWithProvider(ctx, {
      actor: 'console:ada@example.com',
      issuer,
      groups: ['readers'],
      signedInMs: Date.now(),
    });
    ctx.body = {};
  });
  router.get('/find', async (ctx) => {
    ctx.body = { found: await sessions.find(ctx) };
  });
  const { origin, close } = await serveRoutes(router);
  try {
    return await use(
      async (how) => (await fetch(`${origin}/begin/${how}`)).headers.get('set-cookie') ?? '',
      async (cookie) => {
        const response = await fetch(`${origin}/find`, { headers: { cookie: cookie.split(';')[0] ?? '' } });
        return ((await response.json()) as { found?: unknown }).found;
      },
    );
  } finally {
    await close();
  }
}

describe('sessions of the console', () => {
  it('are in a cookie of this host alone, which scripts and plain HTTP do not get', () =>
    withSessions({}, async (begin, find) => {
      const cookie = await begin('key');
      expect(cookie).to.match(/^__Host-console=[\w.-]+; Max-Age=28800; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
      expect(await find(cookie)).to.have.deep.property('caller', { actor: 'admin:ops', role: 'operator', orgId: null });
    }));

  it('are not found in another text, of another purpose or with another master key', async () => {
    const cookie = await withSessions({}, (begin) => begin('key'));
    const other = masterKeys(new Map([['g1', Buffer.alloc(32, 2)]]));
    await withSessions({ masterKeys: other }, async (_, find) => expect(await find(cookie)).to.equal(undefined));
    await withSessions({}, async (_, find) => {
      expect(await find('__Host-console=x')).to.equal(undefined);
      expect(await find('')).to.equal(undefined);
      expect(await find(cookie.replace('__Host-console', 'console'))).to.equal(undefined);
    });
  });

  it('end when their admin key is removed, changed or given to another name', async () => {
    const cookie = await withSessions({}, (begin) => begin('key'));
    const found = (adminKeys: AdminKeys) => withSessions({ adminKeys }, (_, find) => find(cookie));
    expect(await found(new Map())).to.equal(undefined);
    expect(await found(keysWith('another-admin-key-of-ops', 'operator'))).to.equal(undefined);
    expect(await found(new Map([['eve', { key: opsKey, role: 'owner' }]]))).to.equal(undefined);
  });

  it('have the current role of their admin key', async () => {
    const cookie = await withSessions({}, (begin) => begin('key'));
    const found = await withSessions({ adminKeys: keysWith(opsKey, 'viewer') }, (_, find) => find(cookie));
    expect(found).to.have.nested.property('caller.role', 'viewer');
  });

  it('end after eight hours with an admin key', async () => {
    const begunMs = Date.now();
    const cookie = await withSessions({}, (begin) => begin('key'));
    const foundAfter = (ms: number) => withSessions({ now: () => new Date(begunMs + ms) }, (_, find) => find(cookie));
    expect(await foundAfter(7.9 * 3_600_000)).to.have.property('caller');
    expect(await foundAfter(8.1 * 3_600_000)).to.equal(undefined);
  });

  it('of an identity provider expire after an hour, which is known for eight', async () => {
    const begunMs = Date.now();
    const cookie = await withSessions({}, (begin) => begin('provider'));
    const foundAfter = (ms: number) => withSessions({ now: () => new Date(begunMs + ms) }, (_, find) => find(cookie));
    expect(await foundAfter(3_500_000)).to.have.deep.property('caller', {
      actor: 'console:ada@example.com',
      role: 'viewer',
      orgId: null,
    });
    expect(await foundAfter(3_700_000)).to.equal('expired');
    expect(await foundAfter(8.1 * 3_600_000)).to.equal(undefined);
  });

  it('of an identity provider end when it is removed or replaced, and when the group loses its role', async () => {
    const cookie = await withSessions({}, (begin) => begin('provider'));
    const others = [undefined, { ...provider, issuer: 'https://other.example' }, { ...provider, roles: {} }];
    for (const other of others)
      expect(await withSessions({ provider: other }, (_, find) => find(cookie))).to.equal(undefined);
  });

  it('do without the prefix and Secure where browsers use plain HTTP', () =>
    withSessions({ secure: false }, async (begin, find) => {
      const cookie = await begin('key');
      expect(cookie).to.match(/^console=[\w.-]+; Max-Age=28800; Path=\/; HttpOnly; SameSite=Lax$/);
      expect(await find(cookie)).to.have.property('caller');
    }));
});
