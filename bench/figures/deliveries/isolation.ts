import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { rateOf, startService } from '../../processes/processes.js';
import { latencies, startSink } from '../../support/arrivals.js';
import { publish, registerListener, sendPaced } from '../../support/flow-events.js';
import { quantile } from '../../support/quantile.js';
import { report } from '../../support/report.js';

/** Each listener has a type of flow event of its own; every tenth listener hangs. */
const listeners = 1_000;
const hangs = (listener: number): boolean => listener % 10 === 9;
const typeOf = (listener: number): string => `flow.${listener}`;

type Service = Awaited<ReturnType<typeof startService>>;

/** For all listeners together. A round is longer than an attempt's deadline, so that hanging listeners have their full effect. */
const perSecond = 200;
const roundSeconds = 16;
const rounds = 4; // in turns, and each the first every other time, so that both meet the same noise of the machine
const connections = 64;

const sink = await startSink(connections);
// At another host, as listeners of another platform are: the number of posts to one host is limited in any case.
const hanging = await startSink(connections, { listeners: 'hang', host: '127.0.0.2' });

/** A service with all of the listeners; what hangs goes on beyond a round, so each side has one of its own. */
async function start(): Promise<Service> {
  const service = await startService(temporaryDirectory(), connections, { LOG_LEVEL: 'error' }); // it warns of each that hangs
  let next = 0;
  await rateOf(connections, listeners, async () => {
    const listener = next;
    next += 1;
    const { origin } = hangs(listener) ? hanging : sink;
    await registerListener(service, `${origin}/hook/${listener}`, typeOf(listener));
  });
  return service;
}

/** How long events took to the healthy listeners, which get as many either way. */
async function measure(
  service: Service,
  those: 'all listeners' | 'healthy listeners',
  seconds = roundSeconds,
): Promise<readonly number[]> {
  const count = perSecond * seconds;
  const handedOver = await sendPaced({ perSecond, count }, async (id, number) => {
    const listener = number % listeners;
    if (those === 'all listeners' || !hangs(listener)) await publish(service, id, typeOf(listener));
  });
  const healthy = Array.from({ length: count }, (_, number) => number % listeners).filter(
    (listener) => !hangs(listener),
  );
  return latencies(await sink.arrivals(healthy.length), handedOver);
}

const [calm, troubled] = [await start(), await start()];
for (const service of [calm, troubled]) await measure(service, 'healthy listeners', 5); // a warm-up
const without: number[] = [];
const beside: number[] = [];
const turns = [
  async () => without.push(...(await measure(calm, 'healthy listeners'))),
  async () => beside.push(...(await measure(troubled, 'all listeners'))),
];
for (let round = 0; round < rounds; round += 1) for (const turn of turns.reverse()) await turn();
report({
  figure: `publish to arrival at 900 listeners, ${perSecond} a second for ${rounds * roundSeconds} s, p99, with 100 listeners that hang beside them against without`,
  ours: quantile(beside, 0.99),
  peer: quantile(without, 0.99),
  unit: 'ms',
  target: { atMost: 1.5 },
});
await hanging.stop(); // first: it breaks off what the services would wait for
await calm.stop();
await troubled.stop();
await sink.stop();
