import { randomUUID } from 'node:crypto';
import { post, rateOf } from '../../processes/processes.js';
import { now } from '../../support/arrivals.js';
import { type CoresBusy, medianCoresBusy, watchCpu, whatBinds } from '../../support/cpu.js';
import { startEmbedded } from '../../support/embedded.js';
import { deliveredBody, publishBatch, registerListener, untilSucceeded } from '../../support/flow-events.js';
import { median } from '../../support/in-turns.js';
import { report } from '../../support/report.js';

/** As `deliveries`, for a producer that publishes in batches. */
const connections = 64;
const callers = 4;
const eventsInBatch = 100;
const rounds = 3;
const events = 20_000;
const warmUpEvents = 4_000;

const { sink, service, queue, stop } = await startEmbedded(connections, callers);
const body = deliveredBody();

type Measured = { readonly rate: number; readonly publishedRate: number; readonly busy: CoresBusy };

async function ours(count: number): Promise<Measured> {
  const cpu = watchCpu({ service: service.pid, listener: sink.pid, callers: process.pid });
  const { succeeded } = await queue.counts(Date.now());
  const startedAt = now();
  const batchRate = await rateOf(callers, count / eventsInBatch, () =>
    publishBatch(
      service,
      Array.from({ length: eventsInBatch }, () => randomUUID()),
    ),
  );
  await untilSucceeded(queue, succeeded + count);
  const rate = count / ((now() - startedAt) / 1_000);
  const busy = cpu();
  await sink.arrivals(count);
  return { rate, publishedRate: batchRate * eventsInBatch, busy };
}

async function bare(count: number): Promise<number> {
  const rate = await rateOf(connections, count, async () => {
    await post(sink, { path: '/bare', body, expected: 200 });
  });
  await sink.arrivals(count);
  return rate;
}

await registerListener(service, `${sink.origin}/hook`);
await ours(warmUpEvents);
await bare(warmUpEvents);
const measured: Measured[] = [];
const bareRates: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  measured.push(await ours(events));
  bareRates.push(await bare(events));
}
const busy = medianCoresBusy(measured.map((each) => each.busy));
const peer = median(bareRates);
report({
  figure:
    'deliveries, 20,000 published over HTTP in batches of 100 by 4 callers, to 2xx recorded, against a bare undici pool',
  ours: median(measured.map(({ rate }) => rate)),
  peer,
  unit: 'deliveries/s',
  target: { atLeast: 0.35 },
  coresBusy: { ours: busy },
  binds: { ours: whatBinds(busy) },
});
report({
  figure: 'flow events accepted in these batches, against a bare undici pool',
  ours: median(measured.map(({ publishedRate }) => publishedRate)),
  peer,
  unit: 'events/s',
});
await stop();
