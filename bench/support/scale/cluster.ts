import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openMongoDb } from '../../../src/stores/mongodb/mongodb-database.js';
import { startMongoDb } from '../../../test/support/mongodb/start-mongodb.js';
import { temporaryDirectory } from '../../../test/support/temporary-directory.js';
import { post, type Server, startService, untilReady } from '../../processes/processes.js';
import { startSink } from '../arrivals.js';
import { watchCpu } from '../cpu.js';
import { type Counts, type MongoDbRelay, startMongoDbRelay } from '../mongodb-relay.js';
import { inDatabase, serverName, startEventStoreDb } from '../servers.js';

export const callers = 64;
/** Each way, between an instance and MongoDB. */
const delayMs = 1;
/** Wait for leases and partitions after a change of the instances. */
const settleMs = 6_000;
/** Wait for the outcomes of deliveries. */
const outcomesMs = 200;
/** Wait for statistics, which are written every 2.5 s. */
export const statisticsMs = 2_800;

/** All processes of one kind together, in milliseconds of processor time. */
export type Processor = Readonly<Record<'instances' | 'EventStoreDB' | 'MongoDB' | 'listeners' | 'callers', number>>;

/** A value for each kind. */
export const eachPart = (of: (part: keyof Processor) => number): Processor => ({
  instances: of('instances'),
  EventStoreDB: of('EventStoreDB'),
  MongoDB: of('MongoDB'),
  listeners: of('listeners'),
  callers: of('callers'),
});

export type Load = {
  events: number;
  /** Seconds from the first call to the last arrival. */
  seconds: number;
  processor: Processor;
  /** Time of `processor`; counts and calls are those of a second more. */
  watchedMs: number;
  /** Time of other work on the machine; part of MongoDB's for a server that was given. */
  othersMs: number;
  counts: Counts;
  calls: Readonly<Record<string, number>>;
};

export type Instance = Omit<Server, 'ask'> & {
  relay: MongoDbRelay;
  signal: (signal: NodeJS.Signals) => void;
  /** Ends the process without a stop. */
  kill: () => Promise<void>;
};

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

export const organisationsOf = (count: number): readonly string[] =>
  Array.from({ length: count }, () => `bench-${randomUUID()}`);

/** Repeats until it is accepted: an instance may be gone, or the machine slow. The id makes repeats harmless. */
export async function publish(instance: Pick<Instance, 'pool'>, orgId: string, id: string = randomUUID()) {
  const data = { text: 'a result of some length, as flows have them' };
  const body = JSON.stringify({ id, orgId, type: 'flow.completed', data });
  const isAccepted = () =>
    post(instance, { path: '/api/flows', body, expected: 202 }).then(
      () => true,
      () => false,
    );
  while (!(await isAccepted())) await pause(200);
}

export async function subscribe(instance: Pick<Instance, 'pool'>, orgId: string, hookUrl: string): Promise<void> {
  await post(instance, {
    path: '/api/hooks/subscribe/flows',
    headers: { orgid: orgId, userid: 'user-1' },
    body: JSON.stringify({ hookUrl, subscriptionType: 'flow.completed' }),
    expected: 201,
  });
}

/** Servers, listeners that answer at once, and instances, of which each reaches MongoDB through its own relay. */
export async function startCluster() {
  const eventStoreDb = await startEventStoreDb();
  const mongoDb = await startMongoDb({ forLoad: true });
  const databaseName = `flow-hooks-bench-${randomUUID()}`;
  const database = openMongoDb({ url: mongoDb.url, database: databaseName });
  const sink = await startSink(1);
  const directory = temporaryDirectory();
  const instances: Instance[] = [];
  const isStandIn = mongoDb.kind === 'mongo-java-server';
  const left = (instance: Instance) => void instances.splice(instances.indexOf(instance), 1);

  async function start(settings: Readonly<Record<string, string>> = {}, delay = delayMs) {
    const relay = await startMongoDbRelay(mongoDb.url, delay);
    const service = await startService(directory, callers, {
      EVENTSTOREDB_URL: eventStoreDb.url,
      MONGODB_URL: inDatabase(relay.url, databaseName),
      FAN_OUT_FROM: 'end',
      MAX_CONCURRENT_REQUESTS: '2000',
      ...settings,
    });
    await untilReady(service);
    const instance: Instance = {
      ...service,
      relay,
      signal: (signal) => void (service.pid && process.kill(service.pid, signal)),
      async stop() {
        left(instance);
        await service.stop();
        await relay.stop();
      },
      async kill() {
        left(instance);
        try {
          instance.signal('SIGKILL');
        } catch {
          // it was killed before
        }
        await service.pool.destroy();
        await relay.stop();
      },
    };
    instances.push(instance);
    return instance;
  }

  return {
    name: `${eventStoreDb.name}; ${await serverName(mongoDb, database)}`,
    isStandIn,
    eventStoreDbUrl: eventStoreDb.url,
    database,
    sink,
    instances,
    start,
    settled: () => pause(settleMs),
    /** Runs a load, waits until all `arrivals` of its events are there, and returns what all processes did. */
    async during(events: number, arrivals: number, load: () => Promise<unknown>): Promise<Load> {
      for (const { relay } of instances) relay.counts();
      await eventStoreDb.calls();
      const processor = watchProcessor({
        instances: instances.map(({ pid }) => pid),
        EventStoreDB: [eventStoreDb.pid],
        MongoDB: [mongoDb.pid?.()],
        listeners: [sink.pid],
        callers: [process.pid],
      });
      const began = performance.now();
      await load();
      if (arrivals > 0) await sink.arrivals(arrivals);
      const seconds = (performance.now() - began) / 1_000;
      await pause(outcomesMs);
      const used = processor();
      await pause(statisticsMs);
      const counts = together(instances.map(({ relay }) => relay.counts()));
      return { events, seconds, ...used, counts, calls: await eventStoreDb.calls() };
    },
    async stop() {
      for (const instance of [...instances]) await instance.stop();
      await sink.stop();
      await database.patient.dropDatabase();
      await database.close();
      await mongoDb.stop?.();
      await eventStoreDb.stop();
    },
  };
}

type Pids = Readonly<Record<keyof Processor, readonly (number | undefined)[]>>;

function watchProcessor(pids: Pids): () => Pick<Load, 'processor' | 'watchedMs' | 'othersMs'> {
  const named = Object.entries(pids).flatMap(([part, of]) =>
    of.map((pid, index) => [`${part} ${index}`, pid] as const),
  );
  const cpu = watchCpu(Object.fromEntries(named));
  const began = performance.now();
  return () => {
    const busy = cpu();
    const watchedMs = performance.now() - began;
    const others = (busy['everything else'] ?? 0) * watchedMs;
    const isGiven = pids.MongoDB[0] === undefined;
    const msOf = (part: keyof Processor) =>
      pids[part].reduce<number>((sum, _, index) => sum + (busy[`${part} ${index}`] ?? 0) * watchedMs, 0);
    const processor = { ...eachPart(msOf), ...(isGiven && { MongoDB: others }) };
    return { processor, watchedMs, othersMs: isGiven ? 0 : others };
  };
}

function together(counts: readonly Counts[]): Counts {
  const sum = new Map<string, { commands: number; written: number }>();
  for (const [key, { commands, written }] of counts.flatMap((each) => [...each])) {
    const before = sum.get(key) ?? { commands: 0, written: 0 };
    sum.set(key, { commands: before.commands + commands, written: before.written + written });
  }
  return sum;
}

export const commandsOf = ({ counts }: Load): number =>
  [...counts.values()].reduce((sum, { commands }) => sum + commands, 0);

/** Documents written by commands of this kind. */
export const writtenOf = ({ counts }: Load, kind: RegExp): number =>
  [...counts].reduce((sum, [key, { written }]) => sum + (kind.test(key) ? written : 0), 0);

export const readsOf = ({ calls }: Load): number => (calls.stream ?? 0) + (calls.all ?? 0);
