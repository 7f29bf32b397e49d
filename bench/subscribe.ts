import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import type { NewEvent } from '../src/event-store/event-store.js';
import { openSqliteEventStore } from '../src/event-store/sqlite/sqlite-event-store.js';
import { listenerCodec } from '../src/listeners/events.js';
import { listenerStream } from '../src/listeners/listener.js';
import { temporaryDirectory } from '../test/support/temporary-directory.js';

const callers = 64;
const rounds = { count: 5, requests: 3_000 };
const registrations = { few: 1_000, many: 1_000_000, samples: 200 };

type Server = { readonly pool: Pool; readonly stop: () => Promise<void> };

async function start(module: './subscribe-service.js' | './bare-koa.js', directory: string): Promise<Server> {
  const child: ChildProcess = fork(fileURLToPath(new URL(module, import.meta.url)), [directory]);
  const [{ origin }] = (await once(child, 'message')) as [{ origin: string }];
  const pool = new Pool(origin, { connections: callers });
  return {
    pool,
    async stop() {
      await pool.close();
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

const headers = { 'content-type': 'application/json', orgid: 'org-1', userid: 'user-1' };
const hookUrl = (): string => `https://hooks.example.com/standard/${randomUUID()}/`;

/** Registers a hook that was never registered before. */
async function subscribe({ pool }: Server): Promise<void> {
  const body = JSON.stringify({ hookUrl: hookUrl(), subscriptionType: 'flow.completed' });
  const answer = await pool.request({ method: 'POST', path: '/api/hooks/subscribe/flows', headers, body });
  const text = await answer.body.text();
  if (answer.statusCode !== 201) throw new Error(`subscribe answered ${answer.statusCode}: ${text}`);
}

/** Requests a second, from all callers together. */
async function throughput(server: Server, requests: number): Promise<number> {
  let left = requests;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      await subscribe(server);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: callers }, caller));
  return requests / ((performance.now() - startedAt) / 1_000);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function compareThroughput() {
  const service = await start('./subscribe-service.js', temporaryDirectory());
  const bareKoa = await start('./bare-koa.js', temporaryDirectory());
  const rates = { ours: [] as number[], peer: [] as number[] };
  for (const server of [service, bareKoa]) await throughput(server, 1_000); // warm-up
  for (let round = 0; round < rounds.count; round += 1) {
    rates.ours.push(await throughput(service, rounds.requests));
    rates.peer.push(await throughput(bareKoa, rounds.requests));
  }
  await service.stop();
  await bareKoa.stop();
  report({
    figure: 'POST subscribe, distinct hooks, 64 callers, against bare Koa and an insert per request',
    ours: median(rates.ours),
    peer: median(rates.peer),
    unit: 'requests/s',
    target: 0.5,
  });
}

/** Fills a data directory with registered hooks, as subscribing would have written them. */
async function fill(directory: string, count: number): Promise<void> {
  const store = openSqliteEventStore({ directory });
  const group = 1_024; // appends that wait together share a transaction
  for (let done = 0; done < count; done += group) {
    const appends = Array.from({ length: Math.min(group, count - done) }, () => {
      const url = hookUrl();
      return store.append(listenerStream('org-1', url), [subscribedEvent(url)], { expectedRevision: 'no-stream' });
    });
    await Promise.all(appends);
  }
  await store.close();
}

const template = listenerCodec.encode(
  {
    type: 'ListenerSubscribed',
    data: {
      ...{ listenerId: randomUUID(), orgId: 'org-1', userId: 'user-1', hookUrl: hookUrl() },
      ...{ subscriptionType: 'flow.completed', keyGeneration: 'g1', secretVersion: 1 },
    },
  },
  { actor: 'user:user-1', correlationId: 'bench' },
  new Date(),
);

const subscribedEvent = (url: string): NewEvent => ({
  ...template,
  id: randomUUID(),
  data: { ...template.data, listenerId: randomUUID(), hookUrl: url },
});

async function compareSizes() {
  const durations = { many: [] as number[], few: [] as number[] };
  const servers: Record<keyof typeof durations, Server> = { many: await filled('many'), few: await filled('few') };
  const sizes = ['few', 'many'] as const;
  for (let warmUp = 0; warmUp < registrations.samples; warmUp += 1)
    for (const size of sizes) await subscribe(servers[size]);
  for (let sample = 0; sample < registrations.samples; sample += 1) {
    for (const size of sizes) {
      const startedAt = performance.now();
      await subscribe(servers[size]);
      durations[size].push(performance.now() - startedAt);
    }
  }
  for (const size of sizes) await servers[size].stop();
  report({
    figure: 'a subscribe at 1,000,000 registrations against one at 1,000 (at most)',
    ours: median(durations.many),
    peer: median(durations.few),
    unit: 'ms',
    target: 1.2,
  });
}

async function filled(size: 'few' | 'many'): Promise<Server> {
  const directory = temporaryDirectory();
  await fill(directory, registrations[size]);
  return start('./subscribe-service.js', directory);
}

function report({
  figure,
  ours,
  peer,
  unit,
  target,
}: {
  figure: string;
  ours: number;
  peer: number;
  unit: string;
  target: number;
}): void {
  const rounded = (value: number) => Number(value.toPrecision(3));
  process.stdout.write(
    `${JSON.stringify({ figure, ratio: rounded(ours / peer), ours: rounded(ours), peer: rounded(peer), unit, target })}\n`,
  );
}

await compareThroughput();
await compareSizes();
