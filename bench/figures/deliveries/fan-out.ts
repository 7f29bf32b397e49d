import { randomUUID } from 'node:crypto';
import { post, rateOf } from '../../processes/processes.js';
import { now } from '../../support/arrivals.js';
import { startEmbedded } from '../../support/embedded.js';
import { burst, deliveredBody, publish, registerListener, untilSucceeded } from '../../support/flow-events.js';
import { mediansInTurns } from '../../support/in-turns.js';
import { report } from '../../support/report.js';

const listeners = 1_000;
const callers = 64;
const burstEvents = 20_000;

const { sink, service, queue, stop } = await startEmbedded(callers);
const body = deliveredBody();

function withEachListener(call: (path: string) => Promise<unknown>): Promise<number> {
  let next = 0;
  return rateOf(callers, listeners, async () => {
    next += 1;
    await call(`/hook/${next}`);
  });
}

/** Returns the rate per second, to the last arrival. */
async function ours(): Promise<number> {
  const { succeeded } = await queue.counts(Date.now());
  const startedAt = now();
  await publish(service, randomUUID());
  const arrivals = await sink.arrivals(listeners);
  await untilSucceeded(queue, succeeded + listeners); // keeps its remaining work out of the peer's turn
  const endedAt = Math.max(...arrivals.map(({ at }) => at));
  return listeners / ((endedAt - startedAt) / 1_000);
}

async function bare(): Promise<number> {
  const rate = await withEachListener((path) => post(sink, { path, body, expected: 200 }));
  await sink.arrivals(listeners);
  return rate;
}

await registerListener(service, `${sink.origin}/hook`, 'flow.burst');
await burst(service, queue, { callers, count: burstEvents, type: 'flow.burst' });
await sink.arrivals(burstEvents);
await withEachListener((path) => registerListener(service, sink.origin + path));
report({
  figure: 'one event to 1,000 listeners, from publish to the last arrival, against a bare undici pool',
  ...(await mediansInTurns({ rounds: 15, warmUps: 3 }, { ours, peer: bare })),
  unit: 'deliveries/s',
  target: { atLeast: 0.4 },
});
await stop();
