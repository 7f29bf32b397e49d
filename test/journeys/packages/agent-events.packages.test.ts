import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { installNpmPackages } from '../../support/install-npm-packages.js';
import { administratorOf } from '../../support/service/administrator.js';
import { exchange, publish, type Tokens } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const version = '2.0.99';

type Subscription = { id: string; key: string };
type EventStore = Readonly<
  Record<'get' | 'getById' | 'set' | 'update' | 'delete', (...args: never[]) => Promise<unknown>>
>;
type Handled = { event: { data: { number: number } } };
type EventsClient = {
  list: () => Promise<{ events: { name: string; delivery: string[] }[] }>;
  subscribe: (request: object) => Promise<Subscription>;
  refresh: (of: { id: string }) => Promise<Subscription>;
  unsubscribe: (of: { id: string }) => Promise<unknown>;
};
/** The parts of `@ai-sdk/mcp` that are used. */
type AiSdk = {
  createMCPClient: (settings: object) => Promise<{ experimental_events: EventsClient; close: () => Promise<void> }>;
  experimental_createMCPEventWebhook: (settings: object) => (request: Request) => Promise<Response>;
};

/** The store of a host, in memory. */
function subscriptionStore(): EventStore {
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
  this.timeout(180_000);
  let sdk: AiSdk;
  let service: ServiceProcess;
  let callback: Server;
  const numbers: number[] = [];
  const terminated: unknown[] = [];
  const store = subscriptionStore();

  before(async () => {
    const folder = installNpmPackages(`ai-sdk-mcp-${version}`, [`@ai-sdk/mcp@${version}`, 'zod@4']);
    const entry = join(folder, 'node_modules/@ai-sdk/mcp/dist/index.js');
    sdk = (await import(pathToFileURL(entry).href)) as AiSdk;
    service = await startService();
    const webhook = sdk.experimental_createMCPEventWebhook({
      store,
      onEvent: ({ event }: Handled) => void numbers.push(event.data.number),
      onTerminated: (notice: unknown) => void terminated.push(notice),
    });
    callback = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method = 'POST', url = '', headers } = request;
      const sent = { method, headers: headers as Record<string, string>, body: Buffer.concat(chunks) };
      const answer = await webhook(new Request(`http://${headers.host}${url}`, sent));
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    });
    await new Promise<void>((resolve) => callback.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    callback?.closeAllConnections();
    callback?.close();
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
    const url = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/hook`;
    return events.subscribe({
      name: 'order.paid',
      arguments: {},
      delivery: { mode: 'webhook', url, allowInsecureLocalhost: true },
      ...more,
    });
  };

  it('are listed, subscribed to, received before and after a kill, refreshed, and ended', async () => {
    const administrator = administratorOf(() => service);
    const type = { description: 'An order was paid', schema: { type: 'object' }, searchable: ['data.number'] };
    await administrator.post('/event-types', { name: 'order.paid', ...type });
    const tokens = await signedIn();
    const client = await connected(tokens);
    const { events } = await client.experimental_events.list();
    expect(events).to.have.length(1);
    expect(events[0]).to.deep.include({ name: 'order.paid', delivery: ['poll', 'webhook'] });
    const { id } = await subscribe(client.experimental_events);
    for (const number of [1, 2]) {
      await paid(number);
      await has(number);
    }
    await service.stop('SIGKILL');
    service = await startService({ dataDirectory: service.dataDirectory });
    await paid(3);
    await has(3);
    const again = await connected(tokens);
    expect((await again.experimental_events.refresh({ id })).id).to.equal(id);
    await again.experimental_events.unsubscribe({ id });
    await paid(4);
    const { id: next } = await subscribe(again.experimental_events, { arguments: { 'data.number': [5, 6] } });
    await paid(5);
    await has(5);
    expect(numbers).not.to.include(4);

    await service.fetch('/revoke', { form: { token: tokens.refresh_token } });
    await until(() => terminated.length > 0, 'the notice that it has ended');
    expect(JSON.stringify(terminated[0])).to.contain(next).and.to.contain('Access revoked');
  });
});
