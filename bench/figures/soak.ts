import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { MongoClient } from 'mongodb';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { startService } from '../processes/processes.js';
import { startSink } from '../support/arrivals.js';
import { publish, registerListener, sendPaced } from '../support/flow-events.js';
import { residentBytes } from '../support/process-activity.js';
import { reportGrowth } from '../support/report.js';
import { startServers } from '../support/servers.js';

/**
 * A steady load with retentions of a tenth, and the memory of published ids of a fifth of its time: sizes settle in the
 * first half, and must not grow in the second.
 */
const minutes = Number(process.env.SOAK_MINUTES ?? 10);
const connections = 16;
const durationMs = minutes * 60_000;
const sampleEveryMs = 500;
/** A log grows until its checkpoint, and then restarts within a file of that size. */
const mostLogBytes = 64 * 1_048_576;
/** Smaller files have fixed sizes, and smaller collections hold a few records. */
const reportedFrom = { bytes: 100_000, documents: 50 };

const retention = `${Math.round(durationMs / 10)}ms`;
const retentions = {
  FLOW_RETENTION: retention,
  DELIVERY_RETENTION: retention,
  PUBLISH_MEMORY: `${Math.round(durationMs / 5)}ms`,
  RETRY_SCHEDULE: '1s',
};

type Unit = 'bytes' | 'documents';
type Sizes = ReadonlyMap<string, { size: number; unit: Unit }>;
type Soak = {
  store: string;
  perSecond: number;
  directory: string;
  settings: Readonly<Record<string, string>>;
  measure: () => Promise<Sizes> | Sizes;
};

async function soak({ store, perSecond, directory, settings, measure }: Soak): Promise<void> {
  const sink = await startSink(connections);
  const service = await startService(directory, connections, { ...retentions, ...settings });
  await registerListener(service, `${sink.origin}/hook`);

  const samples: { atMs: number; sizes: Sizes }[] = [];
  const startedAt = performance.now();
  async function sample(): Promise<void> {
    const memory = { size: residentBytes(service.pid), unit: 'bytes' } as const;
    const sizes = new Map([['memory', memory], ...(await measure())] as const);
    samples.push({ atMs: performance.now() - startedAt, sizes });
  }
  const most = (name: string, from: number, to: number): number =>
    Math.max(
      ...samples
        .filter(({ atMs }) => atMs >= from * durationMs && atMs <= to * durationMs)
        .map(({ sizes }) => sizes.get(name)?.size ?? 0),
    );

  let last = sample();
  const sampling = setInterval(() => {
    last = last.then(sample);
  }, sampleEveryMs);
  await sendPaced({ perSecond, count: (perSecond * durationMs) / 1_000 }, (id) => publish(service, id));
  clearInterval(sampling);
  await last;

  const units = new Map(samples.flatMap(({ sizes }) => [...sizes].map(([name, { unit }]) => [name, unit] as const)));
  for (const [name, unit] of [...units].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const [half, end] = [most(name, 0.25, 0.5), most(name, 0.75, 1)];
    if (Math.max(half, end) < reportedFrom[unit]) continue;
    const what = name.replace(/\.[0-9a-f-]{36}\b/, ''); // without the ID of the build
    const figure = `${perSecond} flow events a second for ${minutes} minutes, ${store}: ${what}`;
    reportGrowth({ figure, half, end, unit, atMost: /-(wal|shm)$/.test(name) ? mostLogBytes : undefined });
  }
  await service.stop();
  await sink.stop();
}

function filesOf(directory: string): Sizes {
  const sizes = new Map<string, { size: number; unit: Unit }>();
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile()) continue;
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    sizes.set(relative(directory, path), { size, unit: 'bytes' });
  }
  return sizes;
}

async function soakEmbedded(): Promise<void> {
  const directory = temporaryDirectory();
  await soak({ store: 'embedded store', perSecond: 60, directory, settings: {}, measure: () => filesOf(directory) });
}

/** Runs at a rate that a stand-in for MongoDB can follow. */
async function soakServers(): Promise<void> {
  const servers = await startServers();
  const client = new MongoClient(servers.url);
  const database = client.db();
  async function documentsOf(): Promise<Sizes> {
    const sizes = new Map<string, { size: number; unit: Unit }>();
    for (const { name } of await database.listCollections({}, { nameOnly: true }).toArray()) {
      sizes.set(name, { size: await database.collection(name).estimatedDocumentCount(), unit: 'documents' });
    }
    return sizes;
  }
  await soak({
    store: servers.name,
    perSecond: 10,
    directory: temporaryDirectory(),
    settings: servers.settings,
    measure: documentsOf,
  });
  await database.dropDatabase();
  await client.close();
  await servers.stop();
}

await soakEmbedded();
await soakServers();
