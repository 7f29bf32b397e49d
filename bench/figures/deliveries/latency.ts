import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { post } from '../../processes/processes.js';
import { latencies } from '../../support/arrivals.js';
import { startEmbedded } from '../../support/embedded.js';
import { burst, deliveredBody, publish, registerListener, sendPaced } from '../../support/flow-events.js';
import { quantile } from '../../support/in-turns.js';
import { report, type SyncedWrites } from '../../support/report.js';

const page = Buffer.alloc(4_096, 1);
const everyMs = 50;

/** Times of synced writes of a page, like a WAL's: the disk's share in each durable step. */
export function watchDisk(): () => Promise<readonly number[]> {
  const times: number[] = [];
  let ending = false;
  const writing = (async () => {
    const file = await open(join(temporaryDirectory(), 'probe'), 'w');
    while (!ending) {
      const began = performance.now();
      await file.write(page, 0, page.length, 0);
      await file.datasync();
      times.push(performance.now() - began);
      await pause(everyMs);
    }
    await file.close();
  })();
  return async () => {
    ending = true;
    await writing;
    return times;
  };
}

export const syncedWrites = (times: readonly number[]): SyncedWrites => ({
  p50: Number(quantile(times, 0.5).toFixed(2)),
  p99: Number(quantile(times, 0.99).toFixed(2)),
});

const perSecond = 200;
const seconds = 30;
const rounds = 3; // in turns, so that both meet the machine's noise
const connections = 64;
const burstEvents = 20_000;

const { sink, service, queue, stop } = await startEmbedded(connections);

type Measured = { latencies: readonly number[]; syncedWriteMs: readonly number[] };

async function measure(count: number, send: (id: string) => Promise<unknown>): Promise<Measured> {
  const disk = watchDisk();
  const handedOver = await sendPaced({ perSecond, count }, async (id) => {
    await send(id);
  });
  const arrivals = await sink.arrivals(count);
  return { latencies: latencies(arrivals, handedOver), syncedWriteMs: await disk() };
}
const ours = (count: number) => measure(count, (id) => publish(service, id));
const bare = (count: number) =>
  measure(count, (id) => post(sink, { path: '/bare', body: deliveredBody(id), expected: 200 }));

await registerListener(service, `${sink.origin}/hook`);
await burst(service, queue, { callers: connections, count: burstEvents });
await sink.arrivals(burstEvents);
const warmUp = 2 * perSecond;
await ours(warmUp);
await bare(warmUp);
const turns = { ours: [] as Measured[], peer: [] as Measured[] };
for (let round = 0; round < rounds; round += 1) {
  const count = (perSecond * seconds) / rounds;
  turns.ours.push(await ours(count));
  turns.peer.push(await bare(count));
}
const took = (measured: readonly Measured[]) => measured.flatMap((each) => each.latencies);
const disk = (measured: readonly Measured[]) => syncedWrites(measured.flatMap((each) => each.syncedWriteMs));
for (const { name, share, atMostAbove } of [
  { name: 'p50', share: 0.5, atMostAbove: 2 },
  { name: 'p99', share: 0.99, atMostAbove: 5 },
]) {
  report({
    figure: `publish to arrival at the listener, ${perSecond} a second for ${seconds} s, ${name}, against a bare POST at the same pace`,
    ours: quantile(took(turns.ours), share),
    peer: quantile(took(turns.peer), share),
    unit: 'ms',
    target: { atMostAbove },
    syncedWriteMs: { ours: disk(turns.ours), peer: disk(turns.peer) },
  });
}
await stop();
