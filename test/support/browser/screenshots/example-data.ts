import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Administrator } from '../../service/administrator.js';
import { publish, signIn, subscribe } from '../../service/journey.js';
import type { ServiceProcess } from '../../service/service.js';

/** The objects that the pages show. */
export type ExampleData = {
  /** A hook with a history. */
  readonly listenerId: string;
  readonly failingListenerId: string;
  readonly eventId: string;
  readonly replayId: string;
  readonly close: () => void;
};

/** How often, of 100 posts, a hook fails, and how long it takes to answer. */
type Behaviour = { readonly failures: number; readonly answersAfterMs: number };

const behaviours: Readonly<Record<string, Behaviour>> = {
  '/hooks/catch/481516/invoices/': { failures: 0, answersAfterMs: 12 },
  '/v1/hooks/crm-contacts/': { failures: 4, answersAfterMs: 25 },
  '/webhook/warehouse-orders/': { failures: 12, answersAfterMs: 60 },
  '/ingest/finance-ledger/': { failures: 0, answersAfterMs: 35 },
  '/legacy/erp-bridge/': { failures: 100, answersAfterMs: 5 },
};

function startHooks(): Promise<Server> {
  let count = 0;
  const server = createServer((request, response) => {
    const { failures, answersAfterMs } = behaviours[request.url ?? ''] ?? { failures: 0, answersAfterMs: 0 };
    count += 1;
    const fails = (count * 37) % 100 < failures;
    setTimeout(() => {
      response.writeHead(fails ? 503 : 200, { 'content-type': 'application/json' });
      response.end(fails ? '{"error":"upstream is being restarted"}' : '{"status":"success"}');
    }, answersAfterMs);
    request.resume();
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const flowTypes = ['flow.completed', 'flow.failed', 'flow.started', 'invoice.paid', 'invoice.created'];

/** An hour of a small company's hooks: see `an-hour-in-a-minute.ts`. Resolves when the clock has caught up. */
export async function exampleData(
  service: ServiceProcess,
  administrator: Administrator,
  beganAt: number,
): Promise<ExampleData> {
  const admin = requests(administrator);
  const server = await startHooks();
  const { port } = server.address() as AddressInfo;
  const hook = async (orgId: string, host: string, path: string, subscriptionType: string) =>
    (await subscribe(service, `http://${host}.localhost:${port}${path}`, { orgId, subscriptionType })).listenerId;

  const listenerId = await hook('acme', 'hooks.zapier', '/hooks/catch/481516/invoices/', 'invoice.*');
  const contacts = await hook('acme', 'hook.make', '/v1/hooks/crm-contacts/', 'flow.completed');
  const failingListenerId = await hook('acme', 'erp.intranet', '/legacy/erp-bridge/', 'flow.*');
  await hook('globex', 'n8n.globex', '/webhook/warehouse-orders/', '*');
  await hook('initech', 'hooks.zapier', '/ingest/finance-ledger/', 'invoice.*');
  await changes(admin, { listenerId, contacts });
  await credentials(service, admin);

  let number = 0;
  const publishNext = () => {
    number += 1;
    return publishExample(service, number);
  };
  let eventId = '';
  const passed = () => (Date.now() - beganAt) / 60_000;
  while (passed() < 1) {
    // It rises and falls, as a morning does.
    const events = Math.round(3 + 9 * Math.sin(passed() * Math.PI) ** 2 + (number % 3));
    for (let each = 0; each < events; each += 1) eventId = await publishNext();
    await pause(600);
  }
  const range = { from: new Date(beganAt - 3_540_000).toISOString(), to: new Date().toISOString() };
  const replay = await admin('/replays', { orgId: 'acme', listenerId, ...range });
  await pause(3_000); // until it has delivered
  for (let each = 0; each < 20; each += 1) eventId = await publishNext();
  await pause(2_000);
  return {
    listenerId,
    failingListenerId,
    eventId,
    replayId: String(replay.id),
    close: () => void server.close(),
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

async function publishExample(service: ServiceProcess, number: number): Promise<string> {
  const type = flowTypes[number % flowTypes.length] ?? '';
  const orgId = ['acme', 'acme', 'globex', 'initech'][number % 4] ?? '';
  return publish(service, {
    orgId,
    type,
    data: {
      number: `2026-${1_000 + number}`,
      customer: { name: 'Ada Lovelace', country: 'CH' },
      total: ((number * 7_919) % 100_000) / 100,
      currency: 'CHF',
      lines: [{ article: 'difference engine', quantity: 1 + (number % 4) }],
    },
  });
}

/** A history for the timeline. */
async function changes(admin: Admin, hooks: { readonly listenerId: string; readonly contacts: string }): Promise<void> {
  await pause(4_000);
  await admin(`/listeners/${hooks.listenerId}/pause`, {});
  await pause(5_000);
  await admin(`/listeners/${hooks.listenerId}/resume`, { redeliverHeld: true });
  await pause(3_000);
  await admin(`/listeners/${hooks.listenerId}/rotate-secret`, { overlapHours: 24 });
  await admin(`/listeners/${hooks.contacts}/pause`, {});
}

async function credentials(service: ServiceProcess, admin: Admin): Promise<void> {
  for (const userId of ['ada', 'grace', 'edsger']) await signIn(service, { orgId: 'acme', userId });
  await admin('/api-keys', { name: 'billing back end', orgId: 'acme', scopes: ['flows:publish'] });
  await admin('/api-keys', { name: 'reporting', orgId: null, scopes: ['hooks:read', 'deliveries:read'] });
}
