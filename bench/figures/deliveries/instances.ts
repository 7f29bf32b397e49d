import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openMongoDeliveryQueue } from '../../../src/deliveries/mongodb/mongodb-delivery-queue.js';
import { openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import { projectDirectory } from '../../../test/support/mongodb/source-directory.js';
import { startMongoDb } from '../../../test/support/mongodb/start-mongodb.js';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { post, rateOf, startModule, startService } from '../../processes/processes.js';
import { type CoresBusy, medianCoresBusy, watchCpu, whatBinds } from '../../support/cpu.js';
import { median } from '../../support/in-turns.js';
import { report } from '../../support/report.js';
import { inDatabase, serverName, startEventStoreDb } from '../../support/servers.js';

const callers = 64;
const rounds = 3;
/** A given server may know the listeners of earlier runs. */
const organisations = Array.from({ length: 20 }, () => `bench-${randomUUID()}`);

const eventStoreDb = await startEventStoreDb();
const mongoDb = await startMongoDb();
const events = mongoDb.kind === 'mongo-java-server' ? 1_500 : 10_000;

const databaseName = `flow-hooks-bench-${randomUUID()}`;
const database = openMongoDb({ url: mongoDb.url, database: databaseName });
const queue = await openMongoDeliveryQueue(database);
const stores = {
  EVENTSTOREDB_URL: eventStoreDb.url,
  MONGODB_URL: inDatabase(mongoDb.url, databaseName),
  FAN_OUT_FROM: 'end', // the database is new, and the events may not be
};
// A given server remembers the keys of earlier runs.
const kept = join(projectDirectory(), 'node_modules', '.cache', 'bench-keys');
const directory = eventStoreDb.pid === undefined ? kept : temporaryDirectory();
const sink = await startModule('sink', callers);

const start = () => startService(directory, callers, stores);
type Instance = Awaited<ReturnType<typeof start>>;
type Measured = {
  readonly rate: number;
  readonly busy: CoresBusy;
  readonly writeMs: number;
};

function probeMongoDb(): () => Promise<number> {
  const probes = database.db.collection<{ _id: string; n: number }>('bench-probe');
  const times: number[] = [];
  let ending = false;
  const probing = (async () => {
    for (let n = 0; !ending; n += 1) {
      const began = performance.now();
      await probes.updateOne({ _id: 'probe' }, { $set: { n } }, { upsert: true });
      times.push(performance.now() - began);
      await pause(50);
    }
  })();
  return async () => {
    ending = true;
    await probing;
    return median(times);
  };
}

async function measure(instances: readonly Instance[]): Promise<Measured> {
  const { succeeded } = await queue.counts(Date.now());
  const cpu = watchCpu({
    ...Object.fromEntries(instances.map(({ pid }, index) => [`instance ${index + 1}`, pid])),
    EventStoreDB: eventStoreDb.pid,
    MongoDB: mongoDb.pid?.(),
    listeners: sink.pid,
    callers: process.pid,
  });
  const probe = probeMongoDb();
  const began = performance.now();
  let published = 0;
  await rateOf(callers, events, async () => {
    const number = published;
    published += 1;
    const instance = instances[number % instances.length];
    if (!instance) throw new Error('there is an instance');
    const body = JSON.stringify({
      orgId: organisations[number % organisations.length],
      type: 'flow.completed',
      data: { text: 'a result of some length, as flows have them' },
    });
    await post(instance, { path: '/api/flows', body, expected: 202 });
  });
  while ((await queue.counts(Date.now())).succeeded < succeeded + events) await pause(50);
  const seconds = (performance.now() - began) / 1_000;
  return { rate: events / seconds, busy: cpu(), writeMs: await probe() };
}

const first = await start();
for (const orgId of organisations) {
  await post(first, {
    path: '/api/hooks/subscribe/flows',
    headers: { orgid: orgId, userid: 'user-1' },
    body: JSON.stringify({ hookUrl: `${sink.origin}/hook/${orgId}`, subscriptionType: 'flow.completed' }),
    expected: 201,
  });
}

const one: Measured[] = [];
const three: Measured[] = [];
for (let round = 0; round <= rounds; round += 1) {
  const alone = await measure([first]);
  const others = [await start(), await start()];
  const together = await measure([first, ...others]);
  await Promise.all(others.map((instance) => instance.stop()));
  if (round === 0) continue;
  one.push(alone);
  three.push(together);
}

const coresOf = (measured: readonly Measured[]) => medianCoresBusy(measured.map(({ busy }) => busy));
const writeMs = (measured: readonly Measured[]) => Math.round(median(measured.map((each) => each.writeMs)));
const profiles = { one: coresOf(one), three: coresOf(three) };

report({
  figure: `deliveries with three instances against one, ${events.toLocaleString('en')} published over HTTP by ${callers} callers, to 2xx recorded`,
  ours: median(three.map(({ rate }) => rate)),
  peer: median(one.map(({ rate }) => rate)),
  unit: 'deliveries/s',
  target: { atLeast: 1.5 },
  server: `${eventStoreDb.name}; ${await serverName(mongoDb, database)}`,
  coresBusy: profiles,
  binds: { one: whatBinds(profiles.one), three: whatBinds(profiles.three) },
  mongoDbWriteMs: { one: writeMs(one), three: writeMs(three) },
});

await first.stop();
await sink.stop();
await queue.close();
await database.patient.dropDatabase();
await database.close();
await mongoDb.stop?.();
await eventStoreDb.stop();
