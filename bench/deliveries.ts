import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { openSqliteDeliveryQueue } from '../src/deliveries/sqlite/sqlite-delivery-queue.js';
import { temporaryDirectory } from '../test/support/temporary-directory.js';

const callers = 64;
const events = 20_000;
const warmUpEvents = 2_000;
const bodyBytes = 505;

type Server = { readonly origin: string; readonly stop: () => Promise<void> };
type Queue = ReturnType<typeof openSqliteDeliveryQueue>;

async function startSink(): Promise<Server> {
  const child = fork(fileURLToPath(new URL('./sink.js', import.meta.url)));
  const [{ origin }] = (await once(child, 'message')) as [{ origin: string }];
  return {
    origin,
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** The service, as `npm start` runs it, on a free port. */
async function startService(dataDirectory: string): Promise<Server> {
  const main = fileURLToPath(new URL('../src/main.js', import.meta.url));
  const environment = { ...process.env, MODE: 'development', PORT: '0', DATA_DIR: dataDirectory };
  const child = spawn(process.execPath, [main], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  while (!/http:\/\/[\d.]+:\d+/.test(printed)) printed += (await once(child.stdout, 'data')).join('');
  return {
    origin: /http:\/\/[\d.]+:\d+/.exec(printed)?.[0] ?? '',
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Makes `count` requests, `callers` at a time. Throws where one is not answered with `expected`. */
async function request(
  origin: string,
  path: string,
  { count, expected, body }: { count: number; expected: number; body: () => string },
): Promise<void> {
  const pool = new Pool(origin, { connections: callers });
  const headers = { 'content-type': 'application/json' };
  let left = count;
  const caller = async () => {
    while (left > 0) {
      left -= 1;
      const answer = await pool.request({ method: 'POST', path, headers, body: body() });
      await answer.body.dump();
      if (answer.statusCode !== expected) throw new Error(`${path} answered ${answer.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  await pool.close();
}

/** A flow event whose delivered body is `bodyBytes` long: what the envelope adds has a fixed length but for the id's. */
const id = '00000000-0000-4000-8000-000000000000';
const envelope = { id, type: 'flow.completed', timestamp: '2026-01-01T12:00:00.000Z', orgId: 'org-1', flowId: id };
const text = 'x'.repeat(bodyBytes - JSON.stringify({ ...envelope, data: { text: '' } }).length);
const delivered = JSON.stringify({ ...envelope, data: { text } });
const published = JSON.stringify({ orgId: 'org-1', type: 'flow.completed', data: { text } });

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}

async function subscribe({ origin }: Server, hookUrl: string): Promise<void> {
  const { status } = await fetch(`${origin}/api/hooks/subscribe/flows`, {
    method: 'POST',
    headers: { orgid: 'org-1', userid: 'user-1', 'content-type': 'application/json' },
    body: JSON.stringify({ hookUrl, subscriptionType: 'flow.completed' }),
  });
  if (status !== 201) throw new Error(`subscribe answered ${status}`);
}

/** Publishes over HTTP and waits until the queue, which is read beside the service, has as many successes. */
async function publishAndDeliver(service: Server, queue: Queue, count: number): Promise<void> {
  const { succeeded } = await queue.counts(Date.now());
  await request(service.origin, '/api/flows', { count, expected: 202, body: () => published });
  while ((await queue.counts(Date.now())).succeeded < succeeded + count) await pause(5);
}

/** Deliveries a second: from the first publish to the last recorded 2xx, against a bare pool that posts the same bodies. */
async function compareDeliveries(): Promise<void> {
  const sink = await startSink();
  const directory = temporaryDirectory();
  const service = await startService(directory);
  const queue = openSqliteDeliveryQueue({ directory });
  const bare = (count: number) => request(sink.origin, '/bare', { count, expected: 200, body: () => delivered });

  await subscribe(service, `${sink.origin}/hook`);
  await publishAndDeliver(service, queue, warmUpEvents);
  await bare(warmUpEvents);
  const ours = events / (await secondsOf(() => publishAndDeliver(service, queue, events)));
  const peer = events / (await secondsOf(() => bare(events)));

  await queue.close();
  await service.stop();
  await sink.stop();
  const rounded = (value: number) => Number(value.toPrecision(3));
  const figure = 'deliveries, published over HTTP by 64 callers, to 2xx recorded, against a bare undici pool';
  const line = { figure, ratio: rounded(ours / peer), ours: rounded(ours), peer: rounded(peer) };
  process.stdout.write(`${JSON.stringify({ ...line, unit: 'deliveries/s', target: 0.16 })}\n`);
}

await compareDeliveries();
