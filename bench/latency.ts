import { temporaryDirectory } from '../test/support/temporary-directory.js';
import { latencies, startSink } from './arrivals.js';
import { deliveredBody, publish, registerHook, sendPaced } from './flow-events.js';
import { post, startService } from './processes.js';
import { quantile, report } from './report.js';

/** From handing the request to the client to the arrival at the hook, at a pace that is no load. */
const perSecond = 200;
const seconds = 30;
const rounds = 3; // in turns, so that both meet the same noise of the machine
const connections = 64;

const sink = await startSink(connections);
const service = await startService(temporaryDirectory(), connections);

async function measure(count: number, send: (id: string) => Promise<unknown>): Promise<readonly number[]> {
  const handedOver = await sendPaced({ perSecond, count }, async (id) => {
    await send(id);
  });
  return latencies(await sink.arrivals(count), handedOver);
}
const ours = (count: number) => measure(count, (id) => publish(service, id));
const bare = (count: number) =>
  measure(count, (id) => post(sink, { path: '/bare', body: deliveredBody(id), expected: 200 }));

await registerHook(service, `${sink.origin}/hook`);
const warmUp = 2 * perSecond;
await ours(warmUp);
await bare(warmUp);
const took = { ours: [] as number[], peer: [] as number[] };
for (let round = 0; round < rounds; round += 1) {
  const count = (perSecond * seconds) / rounds;
  took.ours.push(...(await ours(count)));
  took.peer.push(...(await bare(count)));
}
for (const { name, share, atMostAbove } of [
  { name: 'p50', share: 0.5, atMostAbove: 2 },
  { name: 'p99', share: 0.99, atMostAbove: 5 },
]) {
  report({
    figure: `publish to arrival at the hook, ${perSecond} a second for ${seconds} s, ${name}, against a bare POST at the same pace`,
    ours: quantile(took.ours, share),
    peer: quantile(took.peer, share),
    unit: 'ms',
    target: { atMostAbove },
  });
}
await service.stop();
await sink.stop();
