import { randomUUID } from 'node:crypto';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { post, rateOf, type Server, startModule, startService } from '../processes/processes.js';
import { durationOf, mediansInTurns } from '../support/in-turns.js';
import { appendListeners, orgId } from '../support/listeners.js';
import { report } from '../support/report.js';

const callers = 64;
const requests = 3_000;
const listeners = { few: 1_000, many: 1_000_000, samples: 200 };

const headers = { orgid: orgId, userid: 'user-1' };
/** An IP address, so that no name is resolved; nothing is sent there. */
const hookUrl = (): string => `https://93.184.215.14/standard/${randomUUID()}/`;

async function subscribe(server: Pick<Server, 'pool'>): Promise<void> {
  const body = JSON.stringify({ hookUrl: hookUrl(), subscriptionType: 'flow.completed' });
  await post(server, { path: '/api/hooks/subscribe/flows', headers, body, expected: 201 });
}

async function compareThroughput(): Promise<void> {
  const service = await startService(temporaryDirectory(), callers);
  const bareKoa = await startModule('bare-koa', callers, temporaryDirectory());
  const rate = (server: Pick<Server, 'pool'>) => () => rateOf(callers, requests, () => subscribe(server));
  const medians = await mediansInTurns({ rounds: 5 }, { ours: rate(service), peer: rate(bareKoa) });
  await service.stop();
  await bareKoa.stop();
  report({
    figure: 'POST subscribe, distinct listeners, 64 callers, against bare Koa and an insert per request',
    ...medians,
    unit: 'requests/s',
    target: { atLeast: 0.5 },
  });
}

async function compareSizes(): Promise<void> {
  const [many, few] = [await filled('many'), await filled('few')];
  const medians = await mediansInTurns(
    { rounds: listeners.samples, warmUps: listeners.samples },
    { ours: () => durationOf(() => subscribe(many)), peer: () => durationOf(() => subscribe(few)) },
  );
  await many.stop();
  await few.stop();
  report({
    figure: 'a subscribe at 1,000,000 listeners against one at 1,000, medians of 200',
    ...medians,
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
