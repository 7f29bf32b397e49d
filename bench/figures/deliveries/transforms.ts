import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { startService } from '../../processes/processes.js';
import { latencies, startSink } from '../../support/arrivals.js';
import { publish, registerListener, sendPaced } from '../../support/flow-events.js';
import { quantile } from '../../support/quantile.js';
import { report } from '../../support/report.js';

type Service = Awaited<ReturnType<typeof startService>>;

/** Listeners whose transformations never end, or allocate without end; each has a type of flow event of its own. */
const harmful = {
  'flow.loops': '($f := function($x) { $f($x + 1) }; $f(1))',
  'flow.grows': '($f := function($x) { $x + $f($x + 1) }; $f(1))',
  'flow.allocates': '$map([1..1000000], function($i) { [1..1000] })',
  'flow.matches': '$match("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", /^(a+)+$/)',
};
const types = Object.keys(harmful);

/** Of events to the listener that is measured; every twentieth is followed by one to a harmful listener. */
const perSecond = 200;
const harmfulEvery = 20;
const roundSeconds = 10;
const rounds = 4; // in turns, and each the first every other time, so that both meet the same noise of the machine
const connections = 64;

const sink = await startSink(connections);

async function start(): Promise<Service> {
  const service = await startService(temporaryDirectory(), connections, { LOG_LEVEL: 'error' });
  await registerListener(service, `${sink.origin}/hook`);
  for (const [type, transform] of Object.entries(harmful)) {
    await registerListener(service, `${sink.origin}/${type}`, type, { transform });
  }
  return service;
}

/** How long the events of the measured listener took. */
async function measure(service: Service, isTroubled: boolean, seconds = roundSeconds): Promise<readonly number[]> {
  const count = perSecond * seconds;
  const handedOver = await sendPaced({ perSecond, count }, async (id, number) => {
    await publish(service, id);
    if (number % harmfulEvery > 0) return;
    // Published in both, so that only the evaluation differs.
    const type = isTroubled ? (types[(number / harmfulEvery) % types.length] ?? '') : 'flow.unwanted';
    await publish(service, `${id}-harmful`, type);
  });
  return latencies(await sink.arrivals(count), handedOver);
}

const [calm, troubled] = [await start(), await start()];
for (const service of [calm, troubled]) await measure(service, false, 5); // a warm-up
const without: number[] = [];
const beside: number[] = [];
const turns = [
  async () => without.push(...(await measure(calm, false))),
  async () => beside.push(...(await measure(troubled, true))),
];
for (let round = 0; round < rounds; round += 1) for (const turn of turns.reverse()) await turn();
report({
  figure: `publish to arrival at one listener, ${perSecond} a second for ${rounds * roundSeconds} s, p99, with ${types.length} listeners beside it whose transformations loop or allocate without end (${perSecond / harmfulEvery} events a second) against without`,
  ours: quantile(beside, 0.99),
  peer: quantile(without, 0.99),
  unit: 'ms',
  target: { atMost: 1.5 },
});
await calm.stop();
await troubled.stop();
await sink.stop();
