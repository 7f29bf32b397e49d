import { randomUUID } from 'node:crypto';
import type { MongoDatabase } from '../../src/stores/mongodb/mongodb-database.js';
import { startDoubleProcess } from '../../test/support/eventstoredb/double-process.js';
import type { MongoDbServer } from '../../test/support/mongodb/mongodb-server.js';
import { startMongoDb } from '../../test/support/mongodb/start-mongodb.js';

export type EventStoreDbServer = {
  readonly url: string;
  /** The server's name in a figure. */
  readonly name: string;
  /** Of its process, where it is ours. */
  readonly pid: number | undefined;
  readonly stop: () => Promise<void>;
};

/** The server that EVENTSTOREDB_URL names, else the double in its own process. */
export async function startEventStoreDb(): Promise<EventStoreDbServer> {
  const given = process.env.EVENTSTOREDB_URL;
  if (given) {
    return { url: given, name: 'EventStoreDB at EVENTSTOREDB_URL', pid: undefined, stop: async () => {} };
  }
  const { url, pid, kill } = await startDoubleProcess();
  return {
    url,
    pid,
    name: 'the double of EventStoreDB in its own process, a stand-in',
    stop: async () => void (await kill('SIGTERM')),
  };
}

/** The same server and options, and this database. It may name several hosts, which no URL of WHATWG's does. */
export const inDatabase = (url: string, name: string): string =>
  url.replace(/^(?<server>[^:]+:\/\/[^/?]+)(?:\/[^?]*)?/, `$<server>/${name}`);

/** EventStoreDB and MongoDB, with its own database for this run. */
export async function startServers() {
  const eventStoreDb = await startEventStoreDb();
  const mongoDb = await startMongoDb();
  const url = inDatabase(mongoDb.url, `flow-hooks-bench-${randomUUID()}`);
  return {
    /** The URL of the database. */
    url,
    name: `${eventStoreDb.name}, and ${mongoDb.kind}`,
    settings: { EVENTSTOREDB_URL: eventStoreDb.url, MONGODB_URL: url, FAN_OUT_FROM: 'end' },
    async stop() {
      await mongoDb.stop?.();
      await eventStoreDb.stop();
    },
  };
}

/** The server's name in a figure. The speed of a stand-in says nothing about MongoDB, and its name says that it is one. */
export async function serverName({ kind }: MongoDbServer, { db }: Pick<MongoDatabase, 'db'>): Promise<string> {
  if (kind === 'mongo-java-server') return 'mongo-java-server, a stand-in for MongoDB';
  const { version, ferretdb } = await db.admin().command({ buildInfo: 1 });
  return ferretdb?.version ? `FerretDB ${ferretdb.version}` : `MongoDB ${version}`;
}
