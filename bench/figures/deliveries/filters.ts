import { costlyData, costlyFilters } from '../../../test/support/costly-filters.js';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { post, startService } from '../../processes/processes.js';
import { latencies, startSink } from '../../support/arrivals.js';
import { publish, registerListener, sendPaced } from '../../support/flow-events.js';
import { quantile } from '../../support/quantile.js';
import { report } from '../../support/report.js';

type Service = Awaited<ReturnType<typeof startService>>;

/** Another organisation's listeners, each with a filter that uses up its steps, and its events of 170 KB. */
const harmful = { orgId: 'org-2', listeners: 100, everySecond: 1 };
/** Of events to the listener that is measured. */
const perSecond = 200;
const roundSeconds = 10;
const rounds = 4; // in turns, and each the first every other time, so that both meet the same noise of the machine
const connections = 64;

const sink = await startSink(connections);

async function start(): Promise<Service> {
  const service = await startService(temporaryDirectory(), connections, { LOG_LEVEL: 'error' });
  await registerListener(service, `${sink.origin}/hook`);
  for (const [number, filter] of costlyFilters(harmful.listeners).entries()) {
    await post(service, {
      path: '/api/hooks/subscribe/flows',
      headers: { orgid: harmful.orgId, userid: 'user-2' },
      body: JSON.stringify({
        hookUrl: `${sink.origin}/harmful/${number}`,
        subscriptionType: 'flow.harmful',
        filter: JSON.parse(filter ?? ''),
      }),
      expected: 201,
    });
  }
  return service;
}

/** How long the events of the measured listener took. */
async function measure(service: Service, isTroubled: boolean, seconds = roundSeconds): Promise<readonly number[]> {
  const count = perSecond * seconds;
  const { orgId, everySecond } = harmful;
  const handedOver = await sendPaced({ perSecond, count }, async (id, number) => {
    await publish(service, id);
    if (number % (perSecond / everySecond) > 0) return;
    // Published in both, so that only the evaluation differs.
    const type = isTroubled ? 'flow.harmful' : 'flow.unwanted';
    const body = JSON.stringify({ orgId, type, id: `${id}-harmful`, data: costlyData });
    await post(service, { path: '/api/flows', body, expected: 202 });
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
  figure: `publish to arrival at one listener, ${perSecond} a second for ${rounds * roundSeconds} s, p99, with ${harmful.listeners} listeners of another organisation with costly filters and ${harmful.everySecond} event of 170 KB a second to them, against without`,
  ours: quantile(beside, 0.99),
  peer: quantile(without, 0.99),
  unit: 'ms',
  target: { atMost: 2 },
});
await calm.stop();
await troubled.stop();
await sink.stop();
