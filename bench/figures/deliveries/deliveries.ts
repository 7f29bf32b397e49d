import { randomUUID } from 'node:crypto';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { post, rateOf, startModule } from '../../processes/processes.js';
import { latencies, now } from '../../support/arrivals.js';
import { type CoresBusy, medianCoresBusy, watchCpu, whatBinds } from '../../support/cpu.js';
import { startEmbedded } from '../../support/embedded.js';
import { burst, deliveredBody, publish, registerListener } from '../../support/flow-events.js';
import { median } from '../../support/in-turns.js';
import { report, reportBound } from '../../support/report.js';

const callers = 64;
const rounds = 3;
const events = 20_000;
const warmUpEvents = 4_000;

const { sink, service, queue, stop } = await startEmbedded(callers);
const barePipeline = await startModule('bare-pipeline', callers, temporaryDirectory(), `${sink.origin}/hook`);
const body = deliveredBody();

type Measured = {
  /** Rate per second, from the first publish to the last recorded 2xx. */
  rate: number;
  /** Milliseconds from publishing to arrival. */
  latencies: readonly number[];
  busy: CoresBusy;
};

async function ours(count: number): Promise<Measured> {
  const cpu = watchCpu({ service: service.pid, listener: sink.pid, callers: process.pid });
  const startedAt = now();
  const handedOver = await burst(service, queue, { callers, count });
  const rate = count / ((now() - startedAt) / 1_000);
  const busy = cpu();
  return { rate, busy, latencies: latencies(await sink.arrivals(count), handedOver) };
}

async function ceiling(count: number): Promise<number> {
  const startedAt = now();
  await rateOf(callers, count, () => publish(barePipeline, randomUUID()));
  await barePipeline.ask(count);
  const rate = count / ((now() - startedAt) / 1_000);
  await sink.arrivals(count);
  return rate;
}

async function bare(count: number): Promise<number> {
  const rate = await rateOf(callers, count, async () => {
    await post(sink, { path: '/bare', body, expected: 200 });
  });
  await sink.arrivals(count);
  return rate;
}

await registerListener(service, `${sink.origin}/hook`);
await ours(warmUpEvents);
await ceiling(warmUpEvents);
await bare(warmUpEvents);
const measured: Measured[] = [];
const ceilings: number[] = [];
const bareRates: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  measured.push(await ours(events));
  ceilings.push(await ceiling(events));
  bareRates.push(await bare(events));
}
const busy = medianCoresBusy(measured.map((each) => each.busy));
report({
  figure: 'deliveries, 20,000 published over HTTP by 64 callers, to 2xx recorded, against a bare undici pool',
  ours: median(measured.map(({ rate }) => rate)),
  peer: median(bareRates),
  unit: 'deliveries/s',
  target: { atLeast: 0.25 },
  ceiling: median(ceilings),
  coresBusy: { ours: busy },
  binds: { ours: whatBinds(busy) },
});
reportBound({
  figure: 'publish to arrival at the listener, p50 in that burst',
  ours: median(measured.flatMap((each) => each.latencies)),
  unit: 'ms',
  target: { atMost: 100 },
});
await barePipeline.stop();
await stop();
