import { randomUUID } from 'node:crypto';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { post, rateOf, type Server, startModule, startService } from '../processes/processes.js';
import { appendListeners, orgId } from '../support/listeners.js';
import { median } from '../support/quantile.js';
import { report } from '../support/report.js';

const callers = 64;
const rounds = { count: 5, requests: 3_000 };
const listeners = { few: 1_000, many: 1_000_000, samples: 200 };

const headers = { orgid: orgId, userid: 'user-1' };
/** An address and no name, so that no name is looked up; nothing is sent there. */
const hookUrl = (): string => `https://93.184.215.14/standard/${randomUUID()}/`;

/** Registers a listener that was never registered before. */
async function subscribe(server: Pick<Server, 'pool'>): Promise<void> {
  const body = JSON.stringify({ hookUrl: hookUrl(), subscriptionType: 'flow.completed' });
  await post(server, { path: '/api/hooks/subscribe/flows', headers, body, expected: 201 });
}

async function compareThroughput(): Promise<void> {
  const service = await startService(temporaryDirectory(), callers);
  const bareKoa = await startModule('bare-koa', callers, temporaryDirectory());
  const rates = { ours: [] as number[], peer: [] as number[] };
  for (const server of [service, bareKoa]) await rateOf(callers, 1_000, () => subscribe(server)); // warm-up
  for (let round = 0; round < rounds.count; round += 1) {
    rates.ours.push(await rateOf(callers, rounds.requests, () => subscribe(service)));
    rates.peer.push(await rateOf(callers, rounds.requests, () => subscribe(bareKoa)));
  }
  await service.stop();
  await bareKoa.stop();
  report({
    figure: 'POST subscribe, distinct listeners, 64 callers, against bare Koa and an insert per request',
    ours: median(rates.ours),
    peer: median(rates.peer),
    unit: 'requests/s',
    target: { atLeast: 0.5 },
  });
}

async function compareSizes(): Promise<void> {
  const durations = { many: [] as number[], few: [] as number[] };
  const servers: Record<keyof typeof durations, Server> = { many: await filled('many'), few: await filled('few') };
  const sizes = ['few', 'many'] as const;
  for (let warmUp = 0; warmUp < listeners.samples; warmUp += 1)
    for (const size of sizes) await subscribe(servers[size]);
  for (let sample = 0; sample < listeners.samples; sample += 1) {
    for (const size of sizes) {
      const startedAt = performance.now();
      await subscribe(servers[size]);
      durations[size].push(performance.now() - startedAt);
    }
  }
  for (const size of sizes) await servers[size].stop();
  report({
    figure: 'a subscribe at 1,000,000 listeners against one at 1,000, medians of 200',
    ours: median(durations.many),
    peer: median(durations.few),
    unit: 'ms',
    target: { atMost: 1.2 },
  });
}

async function filled(size: 'few' | 'many'): Promise<Server> {
  const directory = temporaryDirectory();
  await appendListeners(directory, listeners[size], hookUrl);
  return startModule('subscribe-service', callers, directory);
}

await compareThroughput();
await compareSizes();
