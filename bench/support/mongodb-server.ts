import type { MongoDatabase } from '../../src/stores/mongodb/mongodb-database.js';
import type { MongoDbServer } from '../../test/support/mongodb/mongodb-server.js';

/** The same server and options, and this database. It may name several hosts, which no URL of WHATWG's does. */
export const inDatabase = (url: string, name: string): string =>
  url.replace(/^(?<server>[^:]+:\/\/[^/?]+)(?:\/[^?]*)?/, `$<server>/${name}`);

/** What a figure was taken on. The speed of a stand-in says nothing about MongoDB, and its name says that it is one. */
export async function serverName({ kind }: MongoDbServer, { db }: Pick<MongoDatabase, 'db'>): Promise<string> {
  if (kind === 'mongo-java-server') return 'mongo-java-server, a stand-in for MongoDB';
  const { version, ferretdb } = await db.admin().command({ buildInfo: 1 });
  return ferretdb?.version ? `FerretDB ${ferretdb.version}` : `MongoDB ${version}`;
}
