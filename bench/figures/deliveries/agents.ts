import { loadavg } from 'node:os';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { post, rateOf, startModule, startService } from '../../processes/processes.js';
import { latencies, startSink } from '../../support/arrivals.js';
import { publish, registerListener, sendPaced } from '../../support/flow-events.js';
import { adminKey } from '../../support/hostile-reader.js';
import { quantile } from '../../support/in-turns.js';
import { orgId } from '../../support/listeners.js';
import { report } from '../../support/report.js';

/**
 * Latency of listeners beside 1,000 subscriptions of the agent of one member against without those, in turns: in the same organisation where
 * each event is for one of them, and in another organisation where one event a second is for all of them.
 */
const connections = 64;
const perSecond = 100;
const rounds = 4;
const roundSeconds = Number(process.env.ROUND_SECONDS ?? 16);
const warmUpSeconds = 5;
const listeners = 100;
const subscriptions = 1_000;
const typeOf = (listener: number): string => `flow.${listener}`;
const agentType = 'agent.everything';

type Service = Awaited<ReturnType<typeof startService>>;

// Another host: posts to one host are limited in any case. Another process: 1,000 posts at once would delay the publisher.
const callback = await startModule('agent-host', connections, '127.0.0.2');
const callbackUrl = `${callback.origin}/hook`;
const postsSoFar = async () => (await callback.ask(0)) as number;
const sink = await startSink(connections);

async function signedIn({ origin }: Service, org_id: string): Promise<string> {
  const redirect_uri = 'https://agent.example/callback';
  const form = (fields: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(fields) });
  const signIn = form({ user_id: 'eve', org_id, redirect_uri });
  const { headers } = await fetch(`${origin}/sign-in`, { ...signIn, redirect: 'manual' });
  const code = new URL(headers.get('location') ?? '').searchParams.get('code') ?? '';
  const answer = await fetch(`${origin}/access`, form({ grant_type: 'authorization_code', code, redirect_uri }));
  return ((await answer.json()) as { access_token: string }).access_token;
}

async function subscribeAgent(service: Service, of: string): Promise<() => Promise<void>> {
  const searchable = ['data.of'];
  const type = { name: agentType, description: 'For all', schema: { type: 'object' }, searchable };
  const operator = { authorization: `Bearer ${adminKey}` };
  await post(service, { path: '/admin/api/event-types', body: JSON.stringify(type), headers: operator, expected: 201 });
  const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const requestInit = { headers: { authorization: `Bearer ${await signedIn(service, of)}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.origin}/mcp`), { requestInit }));
  const delivery = { mode: 'webhook', url: callbackUrl, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` };
  const subscribe = async (number: number) => {
    const params = { name: agentType, arguments: { 'data.of': ['all', `${number}`] }, delivery };
    await client.request({ method: 'events/subscribe', params }, z.looseObject({}));
  };
  await subscribe(0); // verifies the callback
  await rateOf(4, subscriptions - 1, (number) => subscribe(number + 1));
  let next = 0;
  return () => subscribe(next++ % subscriptions);
}

/** `events`: published in a second, beside the refreshes of a host. */
type Crowd = { orgId: string; events: number; of: (number: number) => string; refresh: () => Promise<void> };
const refreshesPerSecond = 10; // each subscription is refreshed in 100 s

async function start(): Promise<Service> {
  const settings = { LOG_LEVEL: 'error', ADMIN_KEY: adminKey, MAX_AGENT_SUBSCRIPTIONS: `${subscriptions}` };
  const service = await startService(temporaryDirectory(), connections, settings);
  await rateOf(connections, listeners, async (listener) => {
    await registerListener(service, `${sink.origin}/hook/${listener}`, typeOf(listener));
  });
  return service;
}

async function measure(service: Service, crowd?: Crowd, seconds = roundSeconds): Promise<readonly number[]> {
  const count = perSecond * seconds;
  const handedOver = await sendPaced({ perSecond, count }, async (id, number) => {
    if (crowd && number % (perSecond / crowd.events) === 0) {
      const body = { orgId: crowd.orgId, type: agentType, data: { of: crowd.of(number) } };
      await post(service, { path: '/api/flows', body: JSON.stringify(body), expected: 202 });
    }
    const refreshed = crowd && number % (perSecond / refreshesPerSecond) === 0 ? crowd.refresh() : undefined;
    await publish(service, id, typeOf(number % listeners));
    await refreshed;
  });
  return latencies(await sink.arrivals(count), handedOver);
}

const calm = await start();
await measure(calm, undefined, warmUpSeconds);
for (const { what, of, ...scenario } of [
  {
    what: 'that get an event each in turn',
    orgId,
    events: perSecond,
    of: (number: number) => `${number % subscriptions}`,
  },
  { what: 'in another organisation that all get one event a second', orgId: 'org-2', events: 1, of: () => 'all' },
]) {
  const crowded = await start();
  const crowd = { ...scenario, of, refresh: await subscribeAgent(crowded, scenario.orgId) };
  await measure(crowded, crowd, warmUpSeconds);
  const postsBefore = await postsSoFar();
  const without: number[] = [];
  const beside: number[] = [];
  const turns = [
    async () => without.push(...(await measure(calm))),
    async () => beside.push(...(await measure(crowded, crowd))),
  ];
  for (let round = 0; round < rounds; round += 1) for (const turn of turns.reverse()) await turn();
  report({
    figure:
      `publish to arrival at ${listeners} listeners, ${perSecond} a second for ${rounds * roundSeconds} s, p99, beside ${subscriptions} subscriptions ` +
      `of one member ${what} (${(await postsSoFar()) - postsBefore} posts; load of the machine ${loadavg()[0]?.toFixed(1)}) against without`,
    ours: quantile(beside, 0.99),
    peer: quantile(without, 0.99),
    unit: 'ms',
    target: { atMost: 2 },
  });
  await crowded.stop();
}
for (const server of [calm, sink, callback]) await server.stop();
