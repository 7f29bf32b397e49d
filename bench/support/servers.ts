import { randomUUID } from 'node:crypto';
import type { MongoDatabase } from '../../src/stores/mongodb/mongodb-database.js';
import { startDoubleProcess } from '../../test/eventstoredb-double/src/double-process.js';
import type { MongoDbServer } from '../../test/support/mongodb/mongodb-server.js';
import { startMongoDb } from '../../test/support/mongodb/start-mongodb.js';

export type EventStoreDbServer = {
  url: string;
  name: string;
  /** Undefined: a server that was given. */
  pid: number | undefined;
  /** Reads, subscriptions and appends since the last call, by kind; empty for a server that was given. */
  calls: () => Promise<Readonly<Record<string, number>>>;
  stop: () => Promise<void>;
};

/** Uses EVENTSTOREDB_URL, else the double in its own process. */
export async function startEventStoreDb(): Promise<EventStoreDbServer> {
  const given = process.env.EVENTSTOREDB_URL;
  if (given) {
    return {
      url: given,
      name: 'EventStoreDB at EVENTSTOREDB_URL',
      pid: undefined,
      calls: async () => ({}),
      stop: async () => {},
    };
  }
  const { url, pid, tell, kill } = await startDoubleProcess();
  return {
    url,
    pid,
    calls: async () => (await tell('calls')) as Record<string, number>, // an answer of the double
    name: 'the double of EventStoreDB in its own process, a stand-in',
    stop: async () => void (await kill('SIGTERM')),
  };
}

/** Replaces text: the URL may name several hosts, which the WHATWG parser refuses. */
export const inDatabase = (url: string, name: string): string =>
  url.replace(/^(?<server>[^:]+:\/\/[^/?]+)(?:\/[^?]*)?/, `$<server>/${name}`);

export async function startServers() {
  const eventStoreDb = await startEventStoreDb();
  const mongoDb = await startMongoDb();
  const url = inDatabase(mongoDb.url, `flow-hooks-bench-${randomUUID()}`);
  return {
    url,
    name: `${eventStoreDb.name}, and ${mongoDb.kind}`,
    settings: { EVENTSTOREDB_URL: eventStoreDb.url, MONGODB_URL: url, FAN_OUT_FROM: 'end' },
    async stop() {
      await mongoDb.stop?.();
      await eventStoreDb.stop();
    },
  };
}

/** A stand-in's speed says nothing about MongoDB. */
export async function serverName({ kind }: MongoDbServer, { db }: Pick<MongoDatabase, 'db'>): Promise<string> {
  if (kind === 'mongo-java-server') return 'mongo-java-server, a stand-in for MongoDB';
  const { version, ferretdb } = await db.admin().command({ buildInfo: 1 });
  return ferretdb?.version ? `FerretDB ${ferretdb.version}` : `MongoDB ${version}`;
}
