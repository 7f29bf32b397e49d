import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { rateOf, startModule, startService, untilReady } from '../processes/processes.js';
import { startSink } from '../support/arrivals.js';
import { publish, registerListener, sendPaced } from '../support/flow-events.js';
import { watchActivity } from '../support/process-activity.js';
import { report, reportBound } from '../support/report.js';

/** `mxFrame`, the number of frames in the log: https://www.sqlite.org/walformat.html#the_wal_index_header */
const mxFrameAt = 16;
/** A log that restarts between two readings loses the frames in between. */
const everyMs = 20;

export function watchPageWrites(directory: string): { stop: () => number } {
  const seen = new Map<string, number>();
  let written = 0;
  read();
  written = 0;
  const timer = setInterval(read, everyMs);

  function read(): void {
    const logs = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('-shm'));
    for (const name of logs) {
      const frames = framesOf(join(directory, name));
      const before = seen.get(name) ?? 0;
      written += frames >= before ? frames - before : frames; // less: the log has restarted
      seen.set(name, frames);
    }
  }

  return {
    stop() {
      clearInterval(timer);
      read();
      return written;
    },
  };
}

function framesOf(path: string): number {
  const buffer = new Uint32Array(1); // the WAL-index is in the machine's byte order
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    readSync(file, buffer, 0, 4, mxFrameAt);
  } catch {
    return 0; // the last connection has just closed it
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return buffer[0] ?? 0;
}

const restSeconds = 30;
const settleMs = 8_000; // followers drop earlier builds after 5 s
const connections = 16;
const warmUpEvents = 10_000;
type Rate = {
  perSecond: number;
  seconds: number;
  maxCpuMs?: number;
  maxPages?: number;
};
const rates: readonly Rate[] = [
  { perSecond: 10, seconds: 20 },
  { perSecond: 50, seconds: 20, maxCpuMs: 1, maxPages: 8 },
  { perSecond: 200, seconds: 15, maxCpuMs: 0.8 },
];

async function measureRest(pid: number | undefined, store: string): Promise<void> {
  await pause(settleMs);
  const activity = watchActivity(pid);
  await pause(restSeconds * 1_000);
  const { cpuMs, wakeUps, seconds } = activity();
  const what = `at rest for ${restSeconds} s, ${store}`;
  reportBound({ figure: `share of a core ${what}`, ours: cpuMs / seconds / 10, unit: '%', target: { atMost: 0.3 } });
  reportBound({ figure: `wake-ups ${what}`, ours: wakeUps / seconds, unit: '/s', target: { atMost: 10 } });
}

async function measureEmbedded(): Promise<void> {
  const sink = await startSink(connections);
  const directory = temporaryDirectory();
  const service = await startService(directory, connections);
  const bareDirectory = temporaryDirectory();
  const bare = await startModule('bare-pipeline', connections, bareDirectory, `${sink.origin}/hook`);
  await untilReady(service);
  await registerListener(service, `${sink.origin}/hook`);
  await publish(service, randomUUID());
  await sink.arrivals(1);
  await measureRest(service.pid, 'embedded store');

  async function use(pid: number | undefined, path: string, { perSecond, seconds }: Rate) {
    const server = pid === bare.pid ? bare : service;
    const count = perSecond * seconds;
    const activity = watchActivity(pid);
    const pages = watchPageWrites(path);
    await sendPaced({ perSecond, count }, (id) => publish(server, id));
    await sink.arrivals(count);
    if (server === bare) await bare.ask(count);
    else await pause(500); // for the deliveries in memory
    const { cpuMs, wakeUps } = activity();
    return { cpuMs: cpuMs / count, wakeUps: wakeUps / count, pages: pages.stop() / count };
  }

  // Warm-up: both compile their code.
  for (const server of [service, bare]) {
    await rateOf(connections, warmUpEvents, () => publish(server, randomUUID()));
    await sink.arrivals(warmUpEvents);
  }
  await bare.ask(warmUpEvents);
  for (const rate of rates) {
    await use(service.pid, directory, { ...rate, seconds: 3 });
    await use(bare.pid, bareDirectory, { ...rate, seconds: 3 });
    const ours = await use(service.pid, directory, rate);
    const peer = await use(bare.pid, bareDirectory, rate);
    const what = `for each event at ${rate.perSecond} a second, against a bare pipeline`;
    const cpu = {
      ours: ours.cpuMs,
      peer: peer.cpuMs,
      unit: 'ms',
      ...(rate.maxCpuMs && { target: { oursAtMost: rate.maxCpuMs } }),
    };
    report({ figure: `processor time ${what}`, ...cpu });
    const pages = {
      ours: ours.pages,
      peer: peer.pages,
      unit: 'pages',
      ...(rate.maxPages && { target: { oursAtMost: rate.maxPages } }),
    };
    report({ figure: `page writes ${what}`, ...pages });
    report({ figure: `wake-ups ${what}`, ours: ours.wakeUps, peer: peer.wakeUps, unit: 'wake-ups' });
  }
  await service.stop();
  await bare.stop();
  await sink.stop();
}

await measureEmbedded();
