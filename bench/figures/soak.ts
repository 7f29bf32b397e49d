import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { startService } from '../processes/processes.js';
import { startSink } from '../support/arrivals.js';
import { publish, registerHook, sendPaced } from '../support/flow-events.js';
import { residentBytes } from '../support/memory.js';
import { reportGrowth } from '../support/report.js';

/**
 * A steady load for ten minutes, or for `SOAK_MINUTES`, with retentions of a tenth and the memory of published ids of a
 * fifth of that time: memory and files reach their size within the first half, and must not grow in the second.
 */
const minutes = Number(process.env.SOAK_MINUTES ?? 10);
const perSecond = 60;
const connections = 16;
const durationMs = minutes * 60_000;
const sampleEveryMs = 500;
/** A log grows until it is checkpointed, and then starts again from its beginning in a file of that size. */
const mostLogBytes = 64 * 1_048_576;
/** Locks, keys and indexes of logs have fixed sizes below this. */
const reportedFromBytes = 100_000;
const retention = `${Math.round(durationMs / 10)}ms`;

const sink = await startSink(connections);
const directory = temporaryDirectory();
const service = await startService(directory, connections, {
  FLOW_RETENTION: retention,
  DELIVERY_RETENTION: retention,
  PUBLISH_MEMORY: `${Math.round(durationMs / 5)}ms`,
  RETRY_SCHEDULE: '1s',
});

/** Bytes, by the name of a file, or `memory`. */
type Sample = { readonly atMs: number; readonly bytes: ReadonlyMap<string, number> };

const startedAt = performance.now();
const samples: Sample[] = [];

function sample(): void {
  const bytes = new Map([['memory', residentBytes(service.pid)]]);
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) bytes.set(relative(directory, path), statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  }
  samples.push({ atMs: performance.now() - startedAt, bytes });
}

/** The most between these shares of the time: logs and what waits to be forgotten rise and fall. */
const most = (name: string, from: number, to: number): number =>
  Math.max(
    ...samples
      .filter(({ atMs }) => atMs >= from * durationMs && atMs <= to * durationMs)
      .map(({ bytes }) => bytes.get(name) ?? 0),
  );

await registerHook(service, `${sink.origin}/hook`);
const sampling = setInterval(sample, sampleEveryMs);
await sendPaced({ perSecond, count: (perSecond * durationMs) / 1_000 }, (id) => publish(service, id));
clearInterval(sampling);
sample();

const names = new Set(samples.flatMap(({ bytes }) => [...bytes.keys()]));
for (const name of [...names].sort()) {
  const [half, end] = [most(name, 0.25, 0.5), most(name, 0.75, 1)];
  if (Math.max(half, end) < reportedFromBytes) continue;
  const what = name.replace(/\.[0-9a-f-]{36}\b/, ''); // the run of a build
  const atMostBytes = name.endsWith('-wal') ? mostLogBytes : undefined;
  reportGrowth({ figure: `${perSecond} flow events a second for ${minutes} minutes: ${what}`, half, end, atMostBytes });
}
await service.stop();
await sink.stop();
