import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openMongoDeliveryQueue } from '../../../src/deliveries/mongodb/mongodb-delivery-queue.js';
import { openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import { startMongoDb } from '../../../test/support/mongodb/start-mongodb.js';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { post, rateOf, startModule, startService } from '../../processes/processes.js';
import { sendPaced } from '../../support/flow-events.js';
import { type Counts, startMongoDbRelay } from '../../support/mongodb-relay.js';
import { watchActivity } from '../../support/process-activity.js';
import { reportBound } from '../../support/report.js';
import { inDatabase, serverName, startEventStoreDb } from '../../support/servers.js';

/**
 * What instances ask of MongoDB: at rest, for events one by one, at 50 a second, and with 64 callers. Each instance has its own relay,
 * which counts. The listeners answer at once; each of 20 organisations has one.
 */
const restSeconds = 20;
const paced = { perSecond: 50, count: 1_000 };
const oneByOne = { count: 40 };
const callers = 64;
/** For statistics that are written each second. */
const afterSeconds = 1.5;
const settleMs = 6_000;

const eventStoreDb = await startEventStoreDb();
const mongoDb = await startMongoDb();
const burstEvents = mongoDb.kind === 'mongo-java-server' ? 1_500 : 6_000;
const databaseName = `flow-hooks-bench-${randomUUID()}`;
const database = openMongoDb({ url: mongoDb.url, database: databaseName });
const queue = await openMongoDeliveryQueue(database);
const sink = await startModule('sink', callers);
const directory = temporaryDirectory();
const organisations = Array.from({ length: 20 }, () => `bench-${randomUUID()}`);
const name = await serverName(mongoDb, database);

async function startInstance() {
  const relay = await startMongoDbRelay(mongoDb.url);
  const service = await startService(directory, callers, {
    EVENTSTOREDB_URL: eventStoreDb.url,
    MONGODB_URL: inDatabase(relay.url, databaseName),
    FAN_OUT_FROM: 'end',
    MAX_CONCURRENT_REQUESTS: '2000',
  });
  return { ...service, relay };
}
type Instance = Awaited<ReturnType<typeof startInstance>>;

const sumOf = (counts: Counts, of: 'commands' | 'written', isWanted: (key: string) => boolean = () => true): number =>
  [...counts].reduce((sum, [key, count]) => sum + (isWanted(key) ? count[of] : 0), 0);

/** All kinds, the most frequent first. */
function show(what: string, counts: Counts, divisor: number): void {
  const kinds = [...counts].toSorted(([, one], [, other]) => other.commands - one.commands);
  const shown = kinds.map(([key, { commands, written }]) => {
    const per = (count: number) => Number((count / divisor).toPrecision(2));
    return [key, written === 0 ? per(commands) : [per(commands), per(written)]];
  });
  process.stdout.write(`${JSON.stringify({ what, server: name, kinds: Object.fromEntries(shown) })}\n`);
}

function together(counts: readonly Counts[]): Counts {
  const sum = new Map<string, { commands: number; written: number }>();
  for (const [key, { commands, written }] of counts.flatMap((each) => [...each])) {
    const before = sum.get(key) ?? { commands: 0, written: 0 };
    sum.set(key, { commands: before.commands + commands, written: before.written + written });
  }
  return sum;
}

/** Until it is accepted: a machine that others use may be slow. The id makes repeats harmless. */
async function publish(instance: Instance, number: number): Promise<void> {
  const body = JSON.stringify({
    id: randomUUID(),
    orgId: organisations[number % organisations.length],
    type: 'flow.completed',
    data: { text: 'a result of some length, as flows have them' },
  });
  const isAccepted = () =>
    post(instance, { path: '/api/flows', body, expected: 202 }).then(
      () => true,
      () => false,
    );
  while (!(await isAccepted())) await pause(200);
}

async function untilDelivered(count: number): Promise<void> {
  while ((await queue.counts(Date.now())).succeeded < count) await pause(20);
}

/** Runs a load, and resolves with what the instances asked for in it. */
async function during(instances: readonly Instance[], events: number, load: () => Promise<unknown>) {
  await pause(2_000); // statistics of the load before
  const { succeeded } = await queue.counts(Date.now());
  for (const { relay } of instances) relay.counts();
  const activity = watchActivity(...instances.map(({ pid }) => pid));
  const began = performance.now();
  await load();
  await untilDelivered(succeeded + events);
  const seconds = (performance.now() - began) / 1_000;
  const { cpuMs } = activity();
  await pause(afterSeconds * 1_000);
  return { seconds, cpuMs, counts: together(instances.map(({ relay }) => relay.counts())) };
}

const isDelivery = (key: string) => /queue\.(deliveries|listeners|days)$/.test(key);

/** Returns the commands a second of all. */
async function measureRest(instances: readonly Instance[]): Promise<number> {
  await pause(settleMs);
  const watched = instances.map(({ pid, relay }) => ({ relay, activity: watchActivity(pid) }));
  for (const { relay } of watched) relay.counts();
  await pause(restSeconds * 1_000);
  let sum = 0;
  for (const [index, { relay, activity }] of watched.entries()) {
    const counts = relay.counts();
    const who = index === 0 ? 'the first instance' : 'a standby';
    show(`commands a second at rest of ${who}`, counts, restSeconds);
    const atMost = index === 0 ? 10 : 5;
    const ours = sumOf(counts, 'commands') / restSeconds;
    sum += ours;
    reportBound({ figure: `commands at rest of ${who}`, ours, unit: '/s', target: { atMost } });
    const { cpuMs, seconds } = activity();
    const share = { ours: cpuMs / seconds / 10, unit: '%', target: { atMost: 1 } };
    reportBound({ figure: `share of a core at rest of ${who}`, ...share });
  }
  return sum;
}

/** Events that share no batch: what one costs at most. Without the commands of as long a rest. */
async function measureOneByOne(instances: readonly Instance[], restCommands: number): Promise<void> {
  const load = async () => {
    const { succeeded } = await queue.counts(Date.now());
    for (let number = 0; number < oneByOne.count; number += 1) {
      await publish(instances[number % instances.length] as Instance, number);
      await untilDelivered(succeeded + number + 1);
    }
  };
  await during(instances, oneByOne.count, load); // the first event of a listener takes more
  const { counts, seconds } = await during(instances, oneByOne.count, load);
  const what = `with ${instances.length} instance(s), one after another`;
  show(`commands and documents an event ${what}`, counts, oneByOne.count);
  const commands = sumOf(counts, 'commands') - restCommands * (seconds + afterSeconds);
  const written = sumOf(counts, 'written', isDelivery);
  const perEvent = (sum: number) => ({ ours: sum / oneByOne.count, unit: '' });
  reportBound({ figure: `commands an event ${what}`, ...perEvent(commands), target: { atMost: 8 } });
  reportBound({ figure: `documents a delivery ${what}`, ...perEvent(written), target: { atMost: 3 } });
}

async function measurePaced(instances: readonly Instance[]): Promise<void> {
  const load = () =>
    sendPaced(
      paced,
      async (_, number) => void (await publish(instances[number % instances.length] as Instance, number)),
    );
  await during(instances, paced.count, load);
  const { counts, cpuMs } = await during(instances, paced.count, load);
  const what = `with ${instances.length} instance(s) at ${paced.perSecond} events a second`;
  show(`commands and documents an event ${what}`, counts, paced.count);
  const perEvent = (sum: number) => ({ ours: sum / paced.count, unit: '' });
  reportBound({ figure: `commands an event ${what}`, ...perEvent(sumOf(counts, 'commands')), target: { atMost: 6 } });
  const written = sumOf(counts, 'written', isDelivery);
  reportBound({ figure: `documents a delivery ${what}`, ...perEvent(written), target: { atMost: 3 } });
  reportBound({
    figure: `processor time an event ${what}`,
    ours: cpuMs / paced.count,
    unit: 'ms',
    target: { atMost: 3 },
  });
}

async function measureBurst(instances: readonly Instance[]): Promise<void> {
  let number = 0;
  const { counts, cpuMs, seconds } = await during(instances, burstEvents, () =>
    rateOf(callers, burstEvents, async () => {
      number += 1;
      await publish(instances[number % instances.length] as Instance, number);
    }),
  );
  const what = `with ${instances.length} instance(s) and ${callers} callers, ${Math.round(burstEvents / seconds)} events/s`;
  show(`commands and documents an event ${what}`, counts, burstEvents);
  const ours = cpuMs / burstEvents;
  reportBound({ figure: `processor time an event ${what}`, ours, unit: 'ms', target: { atMost: 2 } });
  const documents = sumOf(counts, 'written', isDelivery) / burstEvents;
  reportBound({ figure: `documents a delivery ${what}`, ours: documents, unit: '', target: { atMost: 3 } });
}

const instances: Instance[] = [await startInstance()];
for (const [number, orgId] of organisations.entries()) {
  await post(instances[0] as Instance, {
    path: '/api/hooks/subscribe/flows',
    headers: { orgid: orgId, userid: 'user-1' },
    body: JSON.stringify({ hookUrl: `${sink.origin}/hook/${number}`, subscriptionType: 'flow.completed' }),
    expected: 201,
  });
}
for (const count of [1, 2, 3]) {
  if (count > 1) instances.push(await startInstance());
  await measureOneByOne(instances, await measureRest(instances));
  await measurePaced(instances);
  await measureBurst(instances); // warms up
  await measureBurst(instances);
}

for (const { stop, relay } of instances) {
  await stop();
  await relay.stop();
}
await sink.stop();
await queue.close();
await database.patient.dropDatabase();
await database.close();
await mongoDb.stop?.();
await eventStoreDb.stop();
