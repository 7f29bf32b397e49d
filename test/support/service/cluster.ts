import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openEventStoreDb } from '../../../src/stores/event-store/eventstoredb/eventstoredb-event-store.js';
import { type DoubleOptions, startEventStoreDouble } from '../../eventstoredb-double/src/start-double.js';
import type { TestMongoDb } from '../mongodb/on-mongodb.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { type ServiceProcess, startService } from './service.js';

export type Cluster = {
  /** Environment that all instances share. */
  environment: Readonly<Record<string, string>>;
  /** `main`: the program of another release. */
  startInstance: (environment?: Readonly<Record<string, string>>, main?: string) => Promise<ServiceProcess>;
  /** One for each environment: the first alone, since it makes keys and views, then the others together. */
  startInstances: (...environments: readonly Readonly<Record<string, string>>[]) => Promise<ServiceProcess[]>;
  eventStoreDb: Awaited<ReturnType<typeof startEventStoreDouble>>;
  /** The position of the last event. */
  head: () => Promise<bigint>;
  /** Kills the instances, and stops the event store. */
  close: () => Promise<void>;
};

/**
 * EventStoreDB's double and its own database on MongoDB, for instances that share their keys. They reach the database
 * at `mongoDbUrl` where something stands in between.
 */
export async function startCluster(
  mongoDb: TestMongoDb,
  mongoDbUrl = mongoDb.server.url,
  options: DoubleOptions = {},
): Promise<Cluster> {
  const eventStoreDb = await startEventStoreDouble(options);
  const dataDirectory = temporaryDirectory(); // where development mode keeps the keys, the same ones for all
  const url = new URL(mongoDbUrl);
  url.pathname = `/${mongoDb.database(`cluster-${randomUUID().slice(0, 8)}`).db.databaseName}`;
  const shared = { EVENTSTOREDB_URL: eventStoreDb.url, MONGODB_URL: url.href, DATA_DIR: dataDirectory };
  const instances: ServiceProcess[] = [];
  const killInstances = () => Promise.all(instances.map((instance) => instance.stop('SIGKILL')));
  // An instance that runs on, or a command that it had sent, would make the database again.
  mongoDb.atEnd(async () => {
    await killInstances();
    if (instances.length > 0) await pause(250);
  });

  async function startInstance(
    environment: Readonly<Record<string, string>> = {},
    main?: string,
  ): Promise<ServiceProcess> {
    const all = { ...shared, ...environment };
    const instance = await startService({ dataDirectory, environment: all, ...(main !== undefined && { main }) });
    instances.push(instance);
    return instance;
  }
  return {
    environment: shared,
    eventStoreDb,
    startInstance,
    async startInstances(first, ...others) {
      return [await startInstance(first), ...(await Promise.all(others.map((each) => startInstance(each))))];
    },
    async head() {
      const store = openEventStoreDb({ url: eventStoreDb.url });
      return store.head().finally(() => store.close());
    },
    async close() {
      await killInstances();
      await eventStoreDb.stop();
    },
  };
}
