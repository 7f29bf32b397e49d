import { setTimeout as pause } from 'node:timers/promises';
import { serve, type TestServer } from '../../serve.js';
import type { Administrator } from '../../service/administrator.js';
import { publish, signIn, subscribe } from '../../service/journey.js';
import type { ServiceProcess } from '../../service/service.js';

/** The objects that the pages show. */
export type ExampleData = {
  /** A listener with a history. */
  listenerId: string;
  failingListenerId: string;
  eventId: string;
  /** A new link, which opens one session of the portal. */
  portalUrl: () => Promise<string>;
  /** The start of the hour; ISO 8601. */
  beganAt: string;
  close: () => Promise<void>;
};

/** Behaviour of a listener: failures of 100 posts from a minute of the hour on, and the time to answer. */
type Behaviour = { failures: number; fromMinute?: number; answersAfterMs: number };

const behaviours: Readonly<Record<string, Behaviour>> = {
  '/listeners/catch/481516/invoices/': { failures: 0, answersAfterMs: 12 },
  '/v1/hooks/crm-contacts/': { failures: 4, answersAfterMs: 25 },
  '/webhook/warehouse-orders/': { failures: 12, answersAfterMs: 60 },
  '/ingest/finance-ledger/': { failures: 0, answersAfterMs: 35 },
  '/legacy/erp-bridge/': { failures: 100, fromMinute: 36, answersAfterMs: 5 },
};

function startListeners(beganAt: number): Promise<TestServer> {
  let count = 0;
  return serve((response, { path }) => {
    const behaviour = behaviours[path] ?? { failures: 0, answersAfterMs: 0 };
    const { failures, fromMinute = 0, answersAfterMs } = behaviour;
    count += 1;
    const minute = (Date.now() - beganAt) / 1_000; // an hour passes in a minute
    const fails = minute >= fromMinute && (count * 37) % 100 < failures;
    setTimeout(() => {
      response.writeHead(fails ? 503 : 200, { 'content-type': 'application/json' });
      response.end(fails ? '{"error":"upstream is being restarted"}' : '{"status":"success"}');
    }, answersAfterMs);
  });
}

const flowTypes = ['flow.completed', 'flow.failed', 'flow.started', 'invoice.paid', 'invoice.created'];

/** An hour of a small company's listeners: see `an-hour-in-a-minute.ts`. Resolves when the clock has caught up. */
export async function exampleData(
  service: ServiceProcess,
  administrator: Administrator,
  beganAt: number,
): Promise<ExampleData> {
  const admin = requests(administrator);
  const server = await startListeners(beganAt);
  const { port } = new URL(server.origin);
  const listener = async (orgId: string, host: string, path: string, subscriptionType: string, content = {}) =>
    (await subscribe(service, `http://${host}.localhost:${port}${path}`, { orgId, subscriptionType, ...content }))
      .listenerId;

  await declareTypes(service, admin);
  const invoices = { filter: { 'data.total': { $gte: 0 }, 'data.currency': { $in: ['CHF', 'EUR'] } }, transform };
  const listenerId = await listener(
    'acme',
    'listeners.zapier',
    '/listeners/catch/481516/invoices/',
    'invoice.*',
    invoices,
  );
  const pausedListenerId = await listener('acme', 'listener.make', '/v1/hooks/crm-contacts/', 'flow.completed');
  const failingListenerId = await listener('acme', 'erp.intranet', '/legacy/erp-bridge/', 'flow.*');
  await listener('globex', 'n8n.globex', '/webhook/warehouse-orders/', '*');
  await listener('initech', 'listeners.zapier', '/ingest/finance-ledger/', 'invoice.*');
  const registered = customers(service, admin);
  const changed = changes(admin, { listenerId, contacts: pausedListenerId });

  let number = 0;
  let eventId = '';
  const publishNext = async () => {
    number += 1;
    const event = exampleEvent(number);
    const id = await publish(service, event);
    if (event.orgId === 'acme' && event.type.startsWith('invoice')) eventId = id;
  };
  const passed = () => (Date.now() - beganAt) / 60_000;
  while (passed() < 1) {
    // It rises and falls, as a morning does.
    const events = Math.round(3 + 9 * Math.sin(passed() * Math.PI) ** 2 + (number % 3));
    for (let each = 0; each < events; each += 1) await publishNext();
    await pause(600);
  }
  await Promise.all([registered, changed]);
  const range = { from: new Date(beganAt - 3_540_000).toISOString(), to: new Date().toISOString() };
  await admin('/replays', { orgId: 'acme', listenerId, ...range });
  await pause(3_000); // until it has delivered
  for (let each = 0; each < 20; each += 1) await publishNext();
  await pause(2_000);
  return {
    listenerId,
    failingListenerId,
    eventId,
    portalUrl: async () => String((await admin('/portal-links', { orgId: 'acme', user: 'ada' })).url),
    beganAt: new Date(beganAt - 3_600_000).toISOString(),
    close: server.close,
  };
}

type Admin = (path: string, json: object) => Promise<Readonly<Record<string, unknown>>>;

const requests =
  ({ post }: Administrator): Admin =>
  async (path, json) => {
    const { status, body } = await post(path, json);
    if (status >= 300) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
    return body as Readonly<Record<string, unknown>>;
  };

function exampleEvent(number: number) {
  const type = flowTypes[number % flowTypes.length] ?? '';
  const orgId = ['acme', 'acme', 'globex', 'initech'][number % 4] ?? '';
  return {
    orgId,
    type,
    data: {
      number: `2026-${1_000 + number}`,
      customer: { name: 'Ada Lovelace', country: 'CH' },
      total: ((number * 7_919) % 100_000) / 100,
      currency: 'CHF',
      lines: [{ article: 'difference engine', quantity: 1 + (number % 4) }],
    },
  };
}

const transform = `{
  "id": id,
  "number": data.number,
  "customer": data.customer.name,
  "amount": $formatNumber(data.total, "#,##0.00") & " " & data.currency
}`;

/** Event types, one with two versions; and some flow events that do not match it. */
async function declareTypes(service: ServiceProcess, admin: Admin): Promise<void> {
  const schema = {
    type: 'object',
    required: ['number', 'total', 'currency'],
    properties: { number: { type: 'string' }, total: { type: 'number' }, currency: { enum: ['CHF', 'EUR'] } },
  };
  const example = { number: '2026-1001', total: 129.9, currency: 'CHF', customer: { name: 'Ada Lovelace' } };
  await admin('/event-types', { name: 'invoice.created', description: 'An invoice was made out' });
  await admin('/event-types', { name: 'invoice.paid', description: 'An invoice was paid', example });
  await admin('/event-types/change', { name: 'invoice.paid', description: 'An invoice was paid in full', schema });
  await admin('/event-types', { name: 'flow.failed', description: 'A flow ended with an error' });
  await admin('/organisations/settings', { orgId: 'globex', eventTypeCheck: 'warn' });
  for (const total of ['129,90', 'free'])
    await publish(service, { orgId: 'globex', type: 'invoice.paid', data: { ...example, total } });
}

/** A history for the timeline. */
async function changes(admin: Admin, listeners: { listenerId: string; contacts: string }): Promise<void> {
  await pause(4_000);
  await admin(`/listeners/${listeners.listenerId}/pause`, {});
  await pause(5_000);
  await admin(`/listeners/${listeners.listenerId}/resume`, { redeliverHeld: true });
  await pause(3_000);
  await admin(`/listeners/${listeners.listenerId}/rotate-secret`, { overlapHours: 24 });
  await admin(`/listeners/${listeners.contacts}/pause`, {});
}

/** Users, clients, keys and settings of the organisations. */
async function customers(service: ServiceProcess, admin: Admin): Promise<void> {
  for (const userId of ['ada', 'grace', 'edsger']) await signIn(service, { orgId: 'acme', userId });
  await signIn(service, { orgId: 'globex', userId: 'hank' });
  await admin('/api-keys', { name: 'billing back end', orgId: 'acme', scopes: ['flows:publish'] });
  await admin('/api-keys', { name: 'reporting', orgId: null, scopes: ['listeners:read', 'deliveries:read'] });
  const former = await admin('/api-keys', { name: 'billing (until 2025)', orgId: 'acme', scopes: ['flows:publish'] });
  await admin(`/api-keys/${former.id}/revoke`, {});
  await admin('/tasks/register', { orgId: 'globex', name: 'globex-warehouse' });
  await admin('/tasks/register', { orgId: 'hooli', name: 'hooli-trial' });
  for (const orgId of ['globex', 'hooli']) await admin('/tasks/activate', { orgId });
  await admin('/tasks/deactivate', { orgId: 'hooli', reason: 'the trial has ended' });
  await admin('/organisations/settings', { orgId: 'initech', ordered: true, ratePerSecond: 20 });
  await admin('/clients', {
    name: 'Zapier',
    redirectUris: ['https://zapier.com/dashboard/auth/oauth/return/App481516CLIAPI/'],
  });
}
