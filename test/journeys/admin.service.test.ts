import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { type Receiver, startReceiver } from '../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../support/service/administrator.js';
import { runCli, runCliForJson } from '../support/service/cli.js';
import { publish, signIn, subscribe } from '../support/service/journey.js';
import { organisation, type SharedService, sharedService } from '../support/service/shared-service.js';
import { until } from '../support/until.js';

type Item = Readonly<Record<string, unknown>>;
type Page = { items: readonly Item[]; next: string | null };

describe('the admin API, from outside', () => {
  let service: SharedService;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    service = await sharedService();
  });
  after(() => receiver.close());

  const { get, post } = administratorOf(() => service);
  const page = async (path: string): Promise<Page> => {
    const { status, body } = await get(path);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as Page;
  };

  /** Appends like a producer that writes to the store by itself, without the organisation. */
  async function appendUnreadable(stream: string): Promise<void> {
    const store = openSqliteEventStore({ directory: service.dataDirectory });
    await store.append(stream, [{ id: randomUUID(), type: 'order.paid', data: { total: 1 }, metadata: {} }]);
    await store.close();
  }

  describe('authorisation', () => {
    const paths = [
      '/set-aside',
      '/listeners?orgId=acme',
      '/deliveries?orgId=acme',
      '/deliveries/status',
      '/tasks',
      '/views',
    ];

    it('answers 401 without a key or with a wrong key', async () => {
      for (const path of paths) {
        const without = await service.fetch(`/admin/api${path}`);
        expect(without.status, path).to.equal(401);
        expect(without.headers.get('www-authenticate')).to.equal('Bearer realm="flow-hooks"');
        expect(without.body).to.have.all.keys('error', 'message', 'requestId');
      }
      const wrong = await service.fetch('/admin/api/tasks', { headers: { authorization: 'Bearer wrong' } });
      expect(wrong.status).to.equal(401);
      expect(wrong.headers.get('www-authenticate')).to.match(/^Bearer .*error="invalid_token"$/);
    });

    it('answers 403 to the access token of a user, before it validates the body', async () => {
      const { access_token } = await signIn(service);
      const headers = { authorization: `Bearer ${access_token}` };
      expect(await service.fetch('/admin/api/tasks', { headers })).to.deep.include({ status: 403 });
      const unread = await service.fetch('/admin/api/set-aside/retry', { headers, json: { stream: 7 } });
      expect(unread.body).to.include({ error: 'forbidden' });
    });

    it('accepts the admin key, and forbids caching of responses', async () => {
      const { status, headers } = await get('/tasks');
      expect(status).to.equal(200);
      expect(headers.get('cache-control')).to.equal('no-store');
    });
  });

  it('refuses unknown parameters and fields', async () => {
    for (const path of [
      '/deliveries',
      '/deliveries?orgId=acme&limit=0',
      '/listeners?orgId=acme&limit=1001',
      '/set-aside?after=x',
      '/set-aside?after=9223372036854775808',
    ]) {
      expect((await get(path)).body, path).to.include({ error: 'invalid_request' });
    }
    const misspelt = await get('/deliveries?orgId=acme&hookUrl=http%3A%2F%2Fa');
    expect(misspelt.status).to.equal(400);
    expect((await get('/nothing')).body).to.include({ error: 'not_found' });
    expect((await post('/deliveries/status')).status).to.equal(405);
  });

  it('shows and changes integration tasks, with the name of the key as the actor', async () => {
    const orgId = organisation('administered');
    expect((await get(`/tasks?orgId=${orgId}`)).body).to.eql({ state: 'active', orgId: null, name: 'default' });
    expect((await post('/tasks/activate', { orgId })).body).to.include({ error: 'not_found' });
    const registered = await post('/tasks/register', { orgId, name: 'theirs' });
    expect(registered.body).to.eql({
      state: 'inactive',
      orgId,
      name: 'theirs',
      changed: ['IntegrationTaskRegistered'],
    });
    expect((await post('/tasks/activate', { orgId })).body).to.deep.include({ changed: ['IntegrationTaskActivated'] });
    expect((await post('/tasks/activate', { orgId })).body).to.deep.include({ state: 'active', changed: [] });
    expect((await post('/tasks/deactivate', { orgId, reason: 'holidays' })).body).to.include({ state: 'inactive' });
    expect((await get(`/tasks?orgId=${orgId}`)).body).to.include({ state: 'inactive', orgId });

    const store = openSqliteEventStore({ directory: service.dataDirectory });
    const actors: unknown[] = [];
    for await (const { data, metadata } of store.readAll({ filter: { categories: ['integrationTask'] } })) {
      if ((data as { orgId?: string }).orgId === orgId) actors.push((metadata as { actor?: string }).actor);
    }
    await store.close();
    expect(actors).to.eql(['admin:admin', 'admin:admin', 'admin:admin']);
  });

  it('lists the listeners of an organisation page by page, like the CLI', async () => {
    const orgId = organisation('listed');
    for (const path of ['a', 'b', 'c']) await subscribe(service, `${receiver.origin}/${path}`, { orgId });
    const first = await page(`/listeners?orgId=${orgId}&limit=2`);
    expect(first.items).to.have.length(2);
    const second = await page(`/listeners?orgId=${orgId}&limit=2&after=${encodeURIComponent(first.next ?? '')}`);
    expect(second).to.have.property('next', null);
    const printed = await runCliForJson(service.dataDirectory, 'listeners', 'list', '--org', orgId);
    expect([...first.items, ...second.items]).to.eql(printed);
  });

  it('shows the state of deliveries, like the CLI', async () => {
    const orgId = organisation('delivered');
    const { listenerId } = await subscribe(service, `${receiver.origin}/delivered`, { orgId });
    await publish(service, { orgId, id: 'o-1', type: 'flow.a', data: 1 });
    await publish(service, { orgId, id: 'o-2', type: 'flow.b', data: 2 });
    const list = (query = '') => page(`/deliveries?orgId=${orgId}${query}`);
    await until(
      async () => (await list()).items.filter(({ state }) => state === 'succeeded').length === 2,
      'two deliveries',
    );
    expect((await list()).items).to.eql(
      await runCliForJson(service.dataDirectory, 'deliveries', 'list', '--org', orgId),
    );
    expect((await list('&limit=1')).items).to.have.length(1);
    const [only] = (await list(`&eventId=o-1&listenerId=${listenerId}`)).items;
    expect(only).to.include({ listenerId, state: 'succeeded', lastStatus: 200, lastError: null });
    expect((await list(`&listenerId=${randomUUID()}`)).items).to.eql([]);
    expect((await get('/deliveries/status')).body).to.include.keys('waiting', 'oldestDueAt');
  });

  it('shows the progress of each view', async () => {
    const { items, next } = await page('/views');
    expect(next).to.equal(null);
    expect(items.map(({ name }) => name)).to.include('listeners');
    for (const item of items) {
      expect(item).to.include.all.keys('name', 'version', 'build', 'caughtUp', 'eventsPerSecond', 'holder');
      expect(item).to.include({ rebuild: null, rebuildFailure: null });
      expect(item.lag).to.include({ orMore: false });
      expect(item.position).to.match(/^\d+$/);
      expect(item.error).to.equal(null);
    }
  });

  describe('the rebuild of a view', () => {
    it('runs while the service answers, shows its progress, and is refused for an unknown view', async () => {
      const before = (await page('/views')).items.find(({ name }) => name === 'sessions');
      const { status, body } = await post('/views/sessions/rebuild', { verify: true });
      expect(status, JSON.stringify(body)).to.equal(202);
      await until(async () => {
        const now = (await page('/views')).items.find(({ name }) => name === 'sessions');
        return now?.build !== before?.build && now?.rebuild === null;
      }, 'another build');
      expect(await post('/views/sessions/cancel', {})).to.deep.include({
        body: { name: 'sessions', cancelled: 'none' },
      });
      expect(await post('/views/nothing/rebuild', {})).to.include({ status: 404 });
      expect(await post('/views/sessions/skip', { position: '999999', why: 'x' })).to.include({ status: 400 });
      expect(await post('/views/sessions/skip', { position: '1' })).to.include({ status: 400 });
    });
  });

  describe('set-aside events', () => {
    const streams = [`flow-${randomUUID()}`, `flow-${randomUUID()}`] as const;
    const isOwn = ({ stream }: Item) => streams.some((own) => own === stream);
    const setAside = async () => (await page('/set-aside')).items.filter(isOwn);

    before(async () => {
      for (const stream of streams) await appendUnreadable(stream);
      await until(async () => (await setAside()).length === 2, 'two events to be set aside');
    });

    it('are listed with their reason, page by page, and by the CLI', async () => {
      const items = await setAside();
      expect(items.map(({ stream }) => stream)).to.eql(streams);
      expect(items[0]).to.include({ revision: '0', type: 'order.paid' });
      expect(items[0]?.reason).to.match(/no orgId/);
      const all = (await page('/set-aside')).items;
      const first = await page('/set-aside?limit=1');
      expect(first.items).to.eql(all.slice(0, 1));
      expect((await page(`/set-aside?limit=1&after=${first.next}`)).items).to.eql(all.slice(1, 2));
      expect(await runCliForJson(service.dataDirectory, 'deliveries', 'set-aside')).to.eql(all);
      const { stdout } = await runCli(service.dataDirectory, 'deliveries', 'set-aside');
      expect(stdout)
        .to.match(/^STREAM +REVISION +TYPE +REASON\n/)
        .and.to.match(new RegExp(`^${streams[0]} +0 +order\\.paid`, 'm'));
    });

    it('stay set aside, according to the response too, if they still cannot be decoded', async () => {
      const { status, body } = await post('/set-aside/retry');
      expect(status).to.equal(200);
      const { items, next } = body as Page;
      expect(items.filter(isOwn).map(({ stream, outcome }) => [stream, outcome])).to.eql(
        streams.map((stream) => [stream, 'set-aside']),
      );
      expect(next).to.equal(null);
      const retry = ['deliveries', 'retry-set-aside'];
      expect(await runCliForJson(service.dataDirectory, ...retry)).to.eql(items);
      const one = await runCli(service.dataDirectory, ...retry, '--stream', streams[0], '--revision', '0');
      expect(one).to.include({ code: 0, stderr: '' });
      expect(one.stdout).to.match(new RegExp(`${streams[0]} +0 +set-aside +0 +order\\.paid at revision 0 .*no orgId`));
      expect(await setAside()).to.have.length(2);
    });

    it('are retried one by one, or page by page', async () => {
      const one = (await post('/set-aside/retry', { stream: streams[1], revision: '0' })).body as Page;
      expect(one.items.map(({ stream }) => stream)).to.eql([streams[1]]);
      const all = (await page('/set-aside')).items.map(({ stream }) => stream);
      const first = (await post('/set-aside/retry', { limit: 1 })).body as Page;
      expect(first.items.map(({ stream }) => stream)).to.eql(all.slice(0, 1));
      const second = (await post('/set-aside/retry', { limit: 1, after: first.next })).body as Page;
      expect(second.items.map(({ stream }) => stream)).to.eql(all.slice(1, 2));
    });

    it('cannot be retried if the stream has none', async () => {
      const unknown = await post('/set-aside/retry', { stream: 'flow-unknown', revision: 0 });
      expect(unknown).to.deep.include({ status: 404 });
      expect(unknown.body).to.include({ error: 'not_set_aside' });
      expect((await post('/set-aside/retry', { stream: streams[0] })).status).to.equal(400);
      const retry = (...args: string[]) => runCli(service.dataDirectory, 'deliveries', 'retry-set-aside', ...args);
      expect(await retry('--stream', 'flow-unknown', '--revision', '0')).to.include({ code: 1 });
      expect(await retry('--stream', streams[0])).to.include({ code: 2 });
    });
  });
});
