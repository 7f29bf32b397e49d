import { setTimeout as pause } from 'node:timers/promises';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { rateOf, startService } from '../../processes/processes.js';
import { latencies, startSink } from '../../support/arrivals.js';
import { publish, registerListener, sendPaced } from '../../support/flow-events.js';
import { adminKey, readingKey, startHostileReader } from '../../support/hostile-reader.js';
import { durationOf, quantile } from '../../support/in-turns.js';
import { orgId } from '../../support/listeners.js';
import { report } from '../../support/report.js';

/** Latency of listeners beside others that hang, and beside a customer that reads all it can, against without those, in turns. */
const connections = 64;
const perSecond = 200;
const rounds = 4;
const roundSeconds = 16; // longer than an attempt's deadline, so that hanging listeners have their full effect
const warmUpSeconds = 5;
const listeners = 1_000;
const hangs = (listener: number): boolean => listener % 10 === 9;
const typeOf = (listener: number): string => `flow.${listener}`;

const sink = await startSink(connections);
// Another host: posts to one host are limited in any case.
const hanging = await startSink(connections, { listeners: 'hang', host: '127.0.0.2' });
type Service = Awaited<ReturnType<typeof startService>>;

async function start(): Promise<Service> {
  const settings = { LOG_LEVEL: 'error', ADMIN_KEY: adminKey };
  const service = await startService(temporaryDirectory(), connections, settings);
  let next = 0;
  await rateOf(connections, listeners, async () => {
    const listener = next;
    next += 1;
    const { origin } = hangs(listener) ? hanging : sink;
    await registerListener(service, `${origin}/hook/${listener}`, typeOf(listener));
  });
  return service;
}

async function measure(service: Service, isTroubled: boolean, seconds = roundSeconds): Promise<readonly number[]> {
  let expected = 0;
  const handedOver = await sendPaced({ perSecond, count: perSecond * seconds }, async (id, number) => {
    const listener = number % listeners;
    if (isTroubled || !hangs(listener)) await publish(service, id, typeOf(listener));
    if (!hangs(listener)) expected += 1;
  });
  return latencies(await sink.arrivals(expected), handedOver);
}

// One service for each side, because its trouble outlasts a round.
const [calm, troubled] = [await start(), await start()];
for (const service of [calm, troubled]) await measure(service, false, warmUpSeconds);
const without: number[] = [];
const beside: number[] = [];
const turns = [
  async () => without.push(...(await measure(calm, false))),
  async () => beside.push(...(await measure(troubled, true))),
];
for (let round = 0; round < rounds; round += 1) for (const turn of turns.reverse()) await turn();
report({
  figure: `publish to arrival at 900 listeners, ${perSecond} a second for ${rounds * roundSeconds} s, p99, with 100 listeners that hang beside them against without`,
  ours: quantile(beside, 0.99),
  peer: quantile(without, 0.99),
  unit: 'ms',
  target: { atMost: 1.5 },
});
await troubled.stop();

const reader = await startHostileReader(calm);
const headers = { authorization: `Bearer ${await readingKey(calm, orgId)}` };

/** Durations of another organisation's requests for a list. */
async function listing(until: Promise<unknown>): Promise<readonly number[]> {
  const durations: number[] = [];
  let isOver = false;
  void until.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const path = `/admin/api/deliveries?orgId=${orgId}&limit=10`;
    durations.push(
      await durationOf(async () => (await calm.pool.request({ method: 'GET', path, headers })).body.dump()),
    );
    await pause(50);
  }
  return durations;
}

async function measureBoth() {
  const measured = measure(calm, false);
  return { lists: await listing(measured), arrivals: await measured };
}

await measure(calm, false, warmUpSeconds);
const alone = { lists: [] as number[], arrivals: [] as number[] };
const besideReader = { lists: [] as number[], arrivals: [] as number[] };
let answered = 0;
for (let round = 0; round < rounds; round += 1) {
  for (const isRead of round % 2 === 0 ? [false, true] : [true, false]) {
    if (isRead) await reader.ask(1);
    const { lists, arrivals } = await measureBoth();
    if (isRead) answered += (await reader.ask(0)) as number;
    const side = isRead ? besideReader : alone;
    side.lists.push(...lists);
    side.arrivals.push(...arrivals);
  }
}
const hostile = `beside a customer that reads lists, pages and exports with 60 connections (${answered} answers) against without`;
for (const [what, which] of [
  [`publish to arrival at 900 listeners, ${perSecond} a second`, 'arrivals'],
  ["another organisation's list of deliveries", 'lists'],
] as const)
  report({
    figure: `${what}, p99, ${hostile}`,
    ours: quantile(besideReader[which], 0.99),
    peer: quantile(alone[which], 0.99),
    unit: 'ms',
    target: { atMost: 2 },
  });
for (const server of [reader, hanging, calm, sink]) await server.stop();
