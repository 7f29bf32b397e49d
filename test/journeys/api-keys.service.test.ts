import { expect } from 'chai';
import { withOtherEnd } from '../support/identity-provider/with-other-end.js';
import { type Receiver, startReceiver } from '../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../support/service/administrator.js';
import { runCli, runCliForJson } from '../support/service/cli.js';
import { signIn, subscribe } from '../support/service/journey.js';
import { organisation, type SharedService, sharedService } from '../support/service/shared-service.js';
import { until } from '../support/until.js';

type Key = { id: string; key: string };
type Page = { items: readonly Readonly<Record<string, unknown>>[]; next: string | null };

describe('API keys, from outside', () => {
  const asking = organisation('asking');
  const cliOrg = organisation('cli');
  let service: SharedService;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    service = await sharedService();
  });
  after(() => receiver.close());

  const { get, post } = administratorOf(() => service);
  const create = async (request: object): Promise<Key> => {
    const { status, body } = await post('/api-keys', { name: 'erp', ...request });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body as Key;
  };
  const withKey = (key: string, path: string, json?: object) =>
    service.fetch(path, { headers: { authorization: `Bearer ${key}` }, ...(json && { json }) });
  const publish = (key: string, event: object = {}) =>
    withKey(key, '/api/flows', { type: 'flow.done', data: {}, ...event });
  const listed = async (id: string) =>
    ((await get('/api-keys')).body as Page).items.find((item) => item.id === id) as Readonly<Record<string, unknown>>;

  it('let a producer publish for its organisation, and for no other', async () => {
    await subscribe(service, `${receiver.origin}/hook`);
    const { key } = await create({ orgId: service.orgId, scopes: ['flows:publish'] });
    expect((await publish(key)).status).to.equal(202);
    expect((await publish(key, { orgId: service.orgId })).status).to.equal(202);
    expect((await publish(key, { orgId: 'other' })).body).to.include({ error: 'forbidden' });
    await receiver.has(2);
  });

  it('for all organisations name one in each request', async () => {
    const { key } = await create({ orgId: null, scopes: ['flows:publish'] });
    expect((await publish(key, { orgId: service.orgId })).status).to.equal(202);
    expect((await publish(key)).status).to.equal(400);
  });

  it('can query their validity, organisation, scopes and purpose', async () => {
    const { id, key } = await create({ orgId: asking, scopes: ['flows:publish', 'listeners:write'] });
    const everywhere = await create({ orgId: null, scopes: ['flows:read'], expiresAt: '2999-01-01T00:00:00.000Z' });
    const test = (query: string, orgid: string) =>
      service.fetch(`/test${query}`, { headers: { authorization: `Bearer ${key}`, orgid } });
    expect(await withKey(key, '/test')).to.deep.include({ status: 200, body: { success: 1 } });
    expect((await test('?scope=listeners:write%20flows:publish', asking)).status).to.equal(200);
    expect((await test('?scope=deliveries:read', asking)).body).to.include({ error: 'insufficient_scope' });
    expect((await test('', service.orgId)).body).to.include({ error: 'forbidden' });
    expect((await test('?scope=%', asking)).status).to.equal(400);
    const facts = { actor: `api-key:${id}`, orgId: asking, userId: null, role: null };
    const scopes = ['flows:publish', 'listeners:write'];
    expect((await withKey(key, '/whoami')).body).to.deep.equal({ ...facts, scopes });

    const introspected = (asking: string, token: string) => withKey(asking, '/introspect', { token });
    const { body } = await introspected(key, key);
    expect(body).to.deep.include({ active: true, sub: `api-key:${id}`, org_id: asking, token_type: 'Bearer' });
    expect(body).to.include({ scope: 'flows:publish listeners:write' }).and.not.have.any.keys('sid', 'exp');
    const other = await introspected(everywhere.key, everywhere.key);
    expect(other.body)
      .to.include({ active: true, exp: Date.UTC(2999, 0) / 1_000 })
      .and.not.have.property('org_id');
    expect((await introspected(key, everywhere.key)).body).to.deep.equal({ active: false });
    const { access_token } = await signIn(service);
    expect((await introspected(key, access_token)).body).to.deep.equal({ active: false });
    const user = { actor: 'user:ada', orgId: service.orgId, userId: 'ada', role: null };
    expect((await withKey(access_token, '/whoami')).body).to.deep.include(user);
    expect((await post(`/api-keys/${id}/revoke`)).status).to.equal(200);
    expect((await introspected(key, key)).status).to.equal(401);
    expect((await introspected(everywhere.key, key)).body).to.deep.equal({ active: false });
    for (const path of ['/test', '/whoami'])
      expect((await withKey(key, path)).body).to.include({ error: 'unauthenticated' });
  });

  it('subscribe, list and unsubscribe listeners, list deliveries, and explain flow events, within their scopes', async () => {
    const orgId = organisation('keyed');
    const all = ['flows:publish', 'flows:read', 'listeners:write', 'listeners:read', 'deliveries:read'];
    const { id, key } = await create({ orgId, scopes: all });
    const hookUrl = `${receiver.origin}/keyed`;
    const subscription = { hookUrl, subscriptionType: 'flow.*' };
    expect((await withKey(key, '/api/hooks/subscribe/flows', subscription)).status).to.equal(201);
    const { items } = (await withKey(key, `/admin/api/listeners?orgId=${orgId}`)).body as Page;
    expect(items).to.have.length(1);
    expect(items[0]).to.include({ userId: `api-key:${id}` });
    const { id: eventId } = (await publish(key)).body as { id: string };
    await until(async () => {
      const { body } = await withKey(key, `/admin/api/deliveries?orgId=${orgId}`);
      return (body as Page).items.length === 1;
    }, 'the delivery');
    const flows = (await withKey(key, `/admin/api/flows?orgId=${orgId}`)).body as Page;
    expect(flows.items.map((event) => event.eventId)).to.deep.equal([eventId]);
    const explained = await withKey(key, `/admin/api/flows/${eventId}/explain`, { orgId });
    expect((explained.body as Page).items).to.have.length(1);
    const foreign = await withKey(key, `/admin/api/flows/${eventId}/explain`, { orgId: service.orgId });
    expect(foreign.body).to.include({ error: 'forbidden' });
    expect((await withKey(key, `/admin/api/listeners?orgId=${service.orgId}`)).body).to.include({ error: 'forbidden' });
    expect((await withKey(key, '/admin/api/api-keys')).body).to.include({ error: 'forbidden' });
    expect((await withKey(key, '/admin/api/deliveries/redeliver', { orgId })).status).to.equal(403);
    expect((await withKey(key, '/api/hooks/unsubscribe/flows', { hookUrl })).status).to.equal(200);
    const [entry] = await runCliForJson(
      service.dataDirectory,
      'audit',
      'history',
      '--org',
      orgId,
      '--hook-url',
      hookUrl,
    );
    expect(entry).to.include({ type: 'ListenerSubscribed', actor: `api-key:${id}` });

    const { key: narrow } = await create({ orgId, scopes: ['flows:publish'] });
    const refused = await withKey(narrow, '/api/hooks/subscribe/flows', subscription);
    expect(refused.status).to.equal(403);
    expect(refused.headers.get('www-authenticate')).to.match(/error="insufficient_scope", scope="listeners:write"$/);
    const list = await withKey(narrow, `/admin/api/listeners?orgId=${orgId}`);
    expect(list.headers.get('www-authenticate')).to.match(/error="insufficient_scope", scope="listeners:read"$/);
  });

  it('do not count the deliveries of all organisations, whose route looks like that of one delivery', async () => {
    const { key } = await create({ orgId: null, scopes: ['deliveries:read'] });
    const { status, body } = await withKey(key, '/admin/api/deliveries/status');
    expect(status, JSON.stringify(body)).to.equal(403);
  });

  it('show their last use, and are refused once they are revoked', async () => {
    const { id, key } = await create({ orgId: service.orgId, scopes: ['flows:publish'] });
    expect(await listed(id)).to.deep.include({ state: 'active', lastUsedAt: null, createdBy: 'admin:admin' });
    expect((await publish(key)).status).to.equal(202);
    await until(async () => (await listed(id)).lastUsedAt !== null, 'the last use');

    const { status, body } = await post(`/api-keys/${id}/revoke`);
    expect(status).to.equal(200);
    expect(body).to.deep.include({ state: 'revoked', changed: ['ApiKeyRevoked'] });
    const refused = await publish(key);
    expect(refused.status).to.equal(401);
    expect(refused.headers.get('www-authenticate')).to.match(/error="invalid_token"/);
    expect((await post(`/api-keys/${id}/revoke`)).body).to.deep.include({ state: 'revoked', changed: [] });
    expect((await post('/api-keys/0198c0de-0000-7000-8000-00000000dead/revoke')).status).to.equal(404);
    await until(async () => (await listed(id)).revokedBy === 'admin:admin', 'the revocation in the list');
  });

  it('are created, listed and revoked on the command line', async () => {
    const directory = service.dataDirectory;
    const make = ['api-keys', 'create', '--name', 'crm', '--scope', 'flows:publish', 'listeners:read'];
    const [made] = await runCliForJson(directory, ...make, '--org', cliOrg, '--expires-at', '2999-01-01T00:00:00Z');
    const { id, key } = made as Key;
    expect(made).to.deep.include({ orgId: cliOrg, scopes: ['flows:publish', 'listeners:read'] });
    const { stdout } = await runCli(directory, ...make, '--all-organisations');
    expect(stdout).to.match(/^fhk_[\w-]{22}_[\w-]{43}\n$/);
    expect((await publish(key)).status).to.equal(202);
    const list = () => runCliForJson(directory, 'api-keys', 'list', '--org', cliOrg);
    await until(async () => ((await list())[0] as { lastUsedAt?: string })?.lastUsedAt !== null, 'the last use');
    expect(await list()).to.eql(((await get(`/api-keys?orgId=${cliOrg}`)).body as Page).items);
    expect(JSON.stringify(await list())).not.to.include(key.slice(27));
    expect(await runCli(directory, 'api-keys', 'revoke', id)).to.include({ code: 0 });
    expect((await publish(key)).status).to.equal(401);
    expect(await runCli(directory, 'api-keys', 'revoke', '0198c0de-0000-7000-8000-00000000dead')).to.include({
      code: 1,
    });
    for (const wrong of [
      make,
      [...make, '--org', cliOrg, '--all-organisations'],
      [...make, '--org', cliOrg, '--expires-at', 'x'],
    ])
      expect(await runCli(directory, ...wrong)).to.include({ code: 2 });
    const unknown = await runCli(directory, 'api-keys', 'create', '--name', 'x', '--org', cliOrg, '--scope', 'all');
    expect(unknown.stderr).to.match(
      /--scope .* Allowed choices are flows:publish, flows:read, listeners:read, listeners:write, deliveries:read/,
    );
  });

  it('are refused with unusable values', async () => {
    for (const wrong of [
      {},
      { orgId: service.orgId },
      { scopes: ['flows:publish'] },
      { orgId: service.orgId, scopes: [] },
      { orgId: service.orgId, scopes: ['everything'] },
      { orgId: service.orgId, scopes: ['flows:publish'], expiresAt: '2020-01-01T00:00:00Z' },
      { orgId: service.orgId, scopes: ['flows:publish'], name: '' },
    ]) {
      const { status, body } = await post('/api-keys', { name: 'x', ...wrong });
      expect(status, JSON.stringify(wrong)).to.equal(400);
      expect(body).to.include({ error: 'invalid_request' });
    }
  });

  it('appear in no log line', async () => {
    const { key } = await create({ orgId: service.orgId, scopes: ['flows:publish'] });
    await publish(key);
    await publish(withOtherEnd(key));
    expect(service.printed()).not.to.include(key.slice(27, 60));
  });
});
