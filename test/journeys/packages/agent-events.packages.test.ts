import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { isRegistered, listenerDecider, listenerStream } from '../../../src/listeners/listener.js';
import { handle } from '../../../src/stores/event-store/handle.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { filesWith } from '../../support/files-with.js';
import { installNpmPackages } from '../../support/install-npm-packages.js';
import { serve, type TestServer } from '../../support/serve.js';
import { administratorOf } from '../../support/service/administrator.js';
import { exchange, publish, type Tokens } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const version = '2.0.99';

type Subscription = { id: string; key: string; cursor: string | null; truncated: boolean; delivery: { url: string } };
type Handled = { event: { data: { number: number } } };
type EventsClient = {
  list: () => Promise<{ events: { name: string; delivery: string[] }[] }>;
  subscribe: (request: object) => Promise<Subscription>;
  refresh: (of: { id: string }) => Promise<Pick<Subscription, 'id' | 'cursor' | 'truncated'>>;
  unsubscribe: (of: { id: string }) => Promise<unknown>;
};
/** The parts of `@ai-sdk/mcp` that are used. */
type AiSdk = {
  createMCPClient: (settings: object) => Promise<{ experimental_events: EventsClient; close: () => Promise<void> }>;
  experimental_createMCPEventWebhook: (settings: object) => (request: Request) => Promise<Response>;
};

/** The store of a host, in memory. */
function subscriptionStore() {
  const all = new Map<string, Subscription>();
  return {
    get: async (key: string) => all.get(key),
    getById: async (id: string) => [...all.values()].find((each) => each.id === id),
    set: async (subscription: Subscription) => all.set(subscription.key, subscription),
    update: async (key: string, part: object) => all.set(key, { ...all.get(key), ...part } as Subscription),
    delete: async (key: string) => all.delete(key),
  };
}

describe('the events of an agent that is made with the AI SDK', function () {
  this.timeout(360_000);
  let sdk: AiSdk;
  let service: ServiceProcess;
  let callback: TestServer;
  const numbers: number[] = [];
  const terminated: unknown[] = [];
  const gaps: unknown[] = [];
  let isRefusing = false;
  const store = subscriptionStore();

  before(async () => {
    const folder = installNpmPackages(`ai-sdk-mcp-${version}`, [`@ai-sdk/mcp@${version}`, 'zod@4']);
    const entry = join(folder, 'node_modules/@ai-sdk/mcp/dist/index.js');
    sdk = (await import(pathToFileURL(entry).href)) as AiSdk;
    service = await startService();
    const webhook = sdk.experimental_createMCPEventWebhook({
      store,
      onEvent: ({ event }: Handled) => void numbers.push(event.data.number),
      onGap: (notice: unknown) => void gaps.push(notice),
      onTerminated: (notice: unknown) => void terminated.push(notice),
    });
    callback = await serve(async (response, { method, path, headers, body }) => {
      const sent = { method, headers: headers as Record<string, string>, body };
      if (isRefusing && body.includes('"eventId"')) {
        isRefusing = false;
        return response.writeHead(410).end();
      }
      const answer = await webhook(new Request(`http://${headers.host}${path}`, sent));
      return response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    });
  });
  after(async () => {
    await callback?.close();
    await service?.stop();
  });

  async function signedIn(): Promise<Tokens> {
    const resource = `${service.origin}/mcp`;
    const form = { user_id: 'ada', org_id: 'acme', redirect_uri: 'https://agent.example/callback', resource };
    const { headers } = await service.fetch('/sign-in', { form });
    const code = new URL(headers.get('location') ?? '').searchParams.get('code') ?? '';
    return (await exchange(service, code)).body as Tokens;
  }
  const connected = ({ access_token }: Tokens) =>
    sdk.createMCPClient({
      transport: { type: 'http', url: `${service.origin}/mcp`, headers: { authorization: `Bearer ${access_token}` } },
      experimental_events: { store },
    });
  const paid = (number: number) => publish(service, { orgId: 'acme', type: 'order.paid', data: { number } });
  const has = (number: number) => until(() => numbers.includes(number), `the event ${number}`);
  const subscribe = (events: EventsClient, more: object = {}) => {
    const url = `${callback.origin}/hook`;
    return events.subscribe({
      name: 'order.paid',
      arguments: {},
      delivery: { mode: 'webhook', url, allowInsecureLocalhost: true },
      ...more,
    });
  };

  const administrator = administratorOf(() => service);
  const listeners = async () => ((await administrator.get('/listeners?orgId=acme')).body as { items: unknown[] }).items;
  let tokens: Tokens;
  let events: EventsClient;
  let id: string;

  async function restart(environment: Record<string, string> = {}): Promise<void> {
    service = await startService({ dataDirectory: service.dataDirectory, environment });
    events = (await connected(tokens)).experimental_events;
  }

  /** Kills the service, and changes the history as if the time of the subscription had passed. */
  async function lapse(): Promise<void> {
    await service.stop('SIGKILL');
    const { delivery } = (await store.getById(id)) as Subscription; // the client has subscribed
    const history = openSqliteEventStore({ directory: service.dataDirectory });
    await handle(
      history,
      listenerStream('acme', `${delivery.url}#${id}`),
      listenerDecider,
      (state) => {
        if (!isRegistered(state)) throw new Error('there is no such subscription');
        const { details, since } = state;
        const secret = { ...details.secret, expiresAt: new Date(Date.now() - 1).toISOString() };
        return [{ type: 'ListenerRenewed' as const, data: { ...details, secret, paused: false, since: `${since}` } }];
      },
      { cause: { actor: 'test', correlationId: 'test' }, now: new Date() },
    );
    await history.close();
  }
  const hasEnded = () => until(async () => (await listeners()).length === 0, 'the subscription to end');

  it('are listed, subscribed to, and received before and after a kill', async () => {
    const type = { description: 'An order was paid', schema: { type: 'object' }, searchable: ['data.number'] };
    await administrator.post('/event-types', { name: 'order.paid', ...type });
    tokens = await signedIn();
    events = (await connected(tokens)).experimental_events;
    const listed = await events.list();
    expect(listed.events).to.have.length(1);
    expect(listed.events[0]).to.deep.include({ name: 'order.paid', delivery: ['poll', 'webhook'] });
    ({ id } = await subscribe(events));
    for (const number of [1, 2]) {
      await paid(number);
      await has(number);
    }
    await service.stop('SIGKILL');
    await restart();
    await paid(3);
    await has(3);
    expect((await events.refresh({ id })).id).to.equal(id);
  });

  it('are sent to a host that comes back after its subscription has lapsed, from its cursor on', async () => {
    const succeeded = async () =>
      ((await administrator.get('/deliveries?orgId=acme&state=succeeded')).body as { items: unknown[] }).items.length;
    await until(async () => (await succeeded()) === 3, 'the deliveries to be recorded');
    await events.refresh({ id });
    await lapse();
    await restart();
    await paid(4);
    await hasEnded();
    expect(numbers).not.to.include(4);
    expect(await events.refresh({ id })).to.include({ id, truncated: false });
    await has(4);
    expect(new Set(numbers)).to.eql(new Set([1, 2, 3, 4]));
  });

  it('have a gap where one was given up', async () => {
    isRefusing = true;
    await paid(5);
    await until(() => !isRefusing, 'the refusal');
    await until(async () => {
      await events.refresh({ id });
      return gaps.length > 0;
    }, 'the notice of the gap');
    expect(JSON.stringify(gaps[0])).to.contain(id);
    expect(numbers).not.to.include(5);
  });

  it('are truncated where retention has deleted some', async () => {
    await lapse();
    await restart();
    await paid(6);
    const published = Date.now();
    await hasEnded();
    await service.stop();
    await until(() => Date.now() - published > 1_500, 'the event to be old');
    await restart({ FLOW_RETENTION: '1s' });
    const isKept = () => filesWith(service.dataDirectory, ['"number":6']).some((path) => path.includes('events.db'));
    await until(() => !isKept(), 'the event to be deleted', { limitMs: 150_000 });
    expect(await events.refresh({ id })).to.include({ id, truncated: true });
    expect((await store.getById(id))?.truncated).to.equal(true);
    expect(numbers).not.to.include(6);
  });

  it('end with an unsubscribe, and with the session, though agents may connect no more', async () => {
    await events.unsubscribe({ id });
    await paid(7);
    const { id: next } = await subscribe(events, { arguments: { 'data.number': [8, 9] } });
    await paid(8);
    await has(8);
    expect(numbers).not.to.include(7);
    expect(terminated).to.eql([]);

    await service.stop();
    service = await startService({ dataDirectory: service.dataDirectory, environment: { MCP: 'off' } });
    await service.fetch('/revoke', { form: { token: tokens.refresh_token } });
    await until(() => terminated.length > 0, 'the notice that it has ended');
    expect(JSON.stringify(terminated[0])).to.contain(next).and.to.contain('Access revoked');
    expect(await store.getById(next)).to.equal(undefined);
  });
});
