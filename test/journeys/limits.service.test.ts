import { expect } from 'chai';
import { administratorOf } from '../support/service/administrator.js';
import { exchange, refresh, signedCode, signIn } from '../support/service/journey.js';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { until } from '../support/until.js';

describe('rate limits and quotas, from outside', function () {
  this.timeout(120_000);
  let service: ServiceProcess;
  afterEach(() => service.stop());

  const start = async (environment: Readonly<Record<string, string>>) => {
    service = await startService({ environment });
  };
  const publish = (orgId: string, headers: Readonly<Record<string, string>> = {}) =>
    service.fetch('/api/flows', { headers, json: { orgId, type: 'flow.done', data: {} } });
  const subscribe = (orgId: string, path: string) =>
    service.fetch('/api/hooks/subscribe/flows', {
      headers: { orgid: orgId, userid: 'ada' },
      json: { hookUrl: `http://127.0.0.1:4999/${path}`, subscriptionType: 'flow.*' },
    });
  /** The statuses of so many requests, one after the other. */
  async function statuses(count: number, request: (index: number) => Promise<{ status: number }>) {
    const answers = [];
    for (let index = 0; index < count; index += 1) answers.push((await request(index)).status);
    return answers;
  }

  it('are off in development mode', async () => {
    await start({});
    const all = await Promise.all(Array.from({ length: 120 }, () => refresh(service, 'wrong')));
    expect(new Set(all.map(({ status }) => status))).to.deep.equal(new Set([400]));
  });

  it('limit the flow events of an organisation, and not those of another', async () => {
    await start({ RATE_LIMIT_EVENTS: '3/1m' });
    expect(await statuses(5, () => publish('acme'))).to.deep.equal([202, 202, 202, 429, 429]);
    expect((await publish('other')).status).to.equal(202);
    const { headers, body } = await publish('acme');
    expect(body).to.include({ error: 'too_many_requests' });
    expect(headers.get('ratelimit-policy')).to.equal('"events";q=3;w=60');
    expect(headers.get('ratelimit')).to.match(/^"events";r=0;t=\d+$/);
    expect(Number(headers.get('retry-after'))).to.be.within(1, 60);
  });

  it('limit the requests of an address for samples, which need no credentials', async () => {
    await start({ RATE_LIMIT_ADDRESS: '2/1m' });
    const [, , third] = await statuses(3, () => service.fetch('/api/hooks/perform-list'));
    expect(third).to.equal(429);
  });

  it('limit the requests of an organisation to the listener routes, of an API key and of an address', async () => {
    await start({ RATE_LIMIT_ORGANISATION: '2/1m', RATE_LIMIT_API_KEY: '2/1m', RATE_LIMIT_ADDRESS: '8/1m' });
    expect(await statuses(3, () => subscribe('acme', 'a'))).to.deep.equal([201, 201, 429]);
    const admin = administratorOf(() => service);
    const request = { name: 'erp', orgId: null, scopes: ['flows:publish'] };
    const { key } = (await admin.post('/api-keys', request)).body as { key: string };
    const authorization = `Bearer ${key}`;
    const withKey = await statuses(3, (index) => publish(`org-${index}`, { authorization }));
    expect(withKey).to.deep.equal([202, 202, 429]);
    expect(await statuses(4, (index) => publish(`org-${index}`))).to.deep.equal([202, 202, 429, 429]);
    expect((await publish('acme')).headers.get('ratelimit-policy')).to.equal('"address";q=8;w=60');
  });

  it('count failed token requests only, and refuse no valid one', async () => {
    await start({ RATE_LIMIT_FAILURES: '3/1m' });
    const { refresh_token } = await signIn(service);
    expect(await statuses(5, () => refresh(service, 'wrong'))).to.deep.equal([400, 400, 400, 429, 429]);
    expect((await exchange(service, 'wrong')).status).to.equal(429);
    expect((await refresh(service, refresh_token)).status).to.equal(200);
    expect((await exchange(service, await signedCode(service))).status).to.equal(200);
  });

  it('slow down guesses at admin and API keys, and not the holders of keys that are in use', async () => {
    await start({ RATE_LIMIT_FAILURES: '3/1m', ADMIN_KEYS: 'ops:a-key-in-daily-use,eve:a-key-not-in-use' });
    const tasks = (key: string) => service.fetch('/admin/api/tasks', { headers: { authorization: `Bearer ${key}` } });
    expect((await tasks('a-key-in-daily-use')).status).to.equal(200);
    expect(await statuses(5, (index) => tasks(`guess-${index}`))).to.deep.equal([401, 401, 401, 429, 429]);
    expect((await tasks('a-key-not-in-use')).status).to.equal(429);
    expect((await publish('acme', { authorization: 'Bearer fhk_guess' })).status).to.equal(429);
    expect((await tasks('a-key-in-daily-use')).status).to.equal(200);
    const { access_token } = await signIn(service);
    expect((await publish('acme', { authorization: `Bearer ${access_token}` })).status).to.equal(202);
  });

  it('limit the listeners of an organisation; a removed listener makes room', async () => {
    await start({ MAX_LISTENERS: '2' });
    expect(await statuses(2, (index) => subscribe('acme', `listener-${index}`))).to.deep.equal([201, 201]);
    await until(async () => (await subscribe('acme', 'more')).status === 429, 'the view to know them');
    expect((await subscribe('acme', 'more')).body).to.include({ error: 'too_many_listeners' });
    expect((await subscribe('acme', 'listener-0')).status).to.equal(201);
    expect((await subscribe('other', 'listener-0')).status).to.equal(201);
    const hookUrl = 'http://127.0.0.1:4999/listener-0';
    await service.fetch('/api/hooks/unsubscribe/flows', { headers: { orgid: 'acme' }, json: { hookUrl } });
    await until(async () => (await subscribe('acme', 'more')).status === 201, 'room for another one');
  });
});
