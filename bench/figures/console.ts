import { randomUUID } from 'node:crypto';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { type Server, startService, untilReady } from '../processes/processes.js';
import { now } from '../support/arrivals.js';
import { startEmbedded } from '../support/embedded.js';
import { burst, registerListener } from '../support/flow-events.js';
import { durationOf, mediansInTurns } from '../support/in-turns.js';
import { appendListeners, orgId } from '../support/listeners.js';
import { report } from '../support/report.js';

/** Time of large pages of the console, and the cost of live updates to the service. */
const callers = 64;
const listeners = 10_000;
const deliveries = 100_000;
const samples = 100;
const rounds = 5;
const eventsPerRound = 20_000;

type Service = Pick<Server, 'pool' | 'origin'>;

async function open({ pool }: Service, path: string): Promise<string> {
  const answer = await pool.request({ method: 'GET', path, headers: { accept: 'text/html' } });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
  return text;
}

async function comparePages(service: Service, figure: string, paths: { full: string; empty: string }): Promise<void> {
  const medians = await mediansInTurns(
    { rounds: samples, warmUps: 20 },
    {
      ours: () => durationOf(() => open(service, paths.full)),
      peer: () => durationOf(() => open(service, paths.empty)),
    },
  );
  report({ figure, ...medians, unit: 'ms', target: { atMost: 3 } });
}

async function watch(service: Service, path: string): Promise<() => void> {
  const html = await open(service, path);
  const live = /data-live="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
  if (live === undefined) throw new Error(`${path} has no live updates`);
  const closing = new AbortController();
  const { body, status } = await fetch(new URL(live, service.origin), {
    headers: { accept: 'text/event-stream' },
    signal: closing.signal,
  });
  if (status !== 200 || !body) throw new Error(`${live} answered ${status}`);
  const reading = (async () => {
    for await (const chunk of body) void chunk;
  })();
  reading.catch((error: Error) => {
    if (error.name !== 'AbortError') throw error;
  });
  return () => closing.abort();
}

async function compareRates(service: Service, rate: () => Promise<number>, paths: readonly string[]): Promise<void> {
  async function watched(): Promise<number> {
    const close = await Promise.all(paths.map((path) => watch(service, path)));
    const measured = await rate();
    for (const each of close) each();
    return measured;
  }
  report({
    figure: `deliveries, ${eventsPerRound} in a burst, with the console open on ${paths.length} pages against without`,
    ...(await mediansInTurns({ rounds, warmUps: 0 }, { ours: watched, peer: rate })),
    unit: 'deliveries/s',
    target: { atLeast: 0.95 },
  });
}

async function measureListeners(): Promise<void> {
  const directory = temporaryDirectory();
  await appendListeners(directory, listeners, () => `https://93.184.215.14/hooks/${randomUUID()}`);
  const service = await startService(directory, 1);
  await untilReady(service);
  await comparePages(service, `the page of ${listeners} listeners against that of none, medians of ${samples}`, {
    full: `/console/listeners?orgId=${orgId}`,
    empty: '/console/listeners?orgId=none',
  });
  await service.stop();
}

async function measureDeliveries(): Promise<void> {
  const { sink, service, queue, stop } = await startEmbedded(callers);
  const used = await registerListener(service, `${sink.origin}/hook`);
  const unused = await registerListener(service, `${sink.origin}/unused`, 'flow.other');
  const rate = async (count: number): Promise<number> => {
    const startedAt = now();
    await burst(service, queue, { callers, count });
    await sink.arrivals(count);
    return count / ((now() - startedAt) / 1_000);
  };
  await rate(deliveries);
  await comparePages(
    service,
    `the page of a listener with ${deliveries} deliveries against one with none, medians of ${samples}`,
    {
      full: `/console/listeners/${used}`,
      empty: `/console/listeners/${unused}`,
    },
  );
  const paths = ['/console', `/console/listeners/${used}`, `/console/deliveries?orgId=${orgId}`];
  await compareRates(service, () => rate(eventsPerRound), paths);
  await stop();
}

await measureListeners();
await measureDeliveries();
