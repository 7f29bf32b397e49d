import { spawnSync } from 'node:child_process';
import { startMongoJavaServer } from './mongo-java-server.js';
import { type MongoDbServer, NoMongoDb, NotAvailable, type StartOptions } from './mongodb-server.js';
import { serveFromDirectory } from './serve-from-directory.js';

/** A server that runs already, such as a service container of the CI. The tests must not stop it. */
async function startGivenMongoDb(): Promise<MongoDbServer> {
  const url = process.env.MONGODB_URL;
  if (!url) throw new NotAvailable('MONGODB_URL in the environment: not set');
  return { kind: 'given', url };
}

/** A standalone `mongod` from the PATH: the service must not require a replica set. */
async function startMongod(options: StartOptions): Promise<MongoDbServer> {
  if (spawnSync('mongod', ['--version']).status !== 0) throw new NotAvailable('mongod on the PATH: none');
  return serveFromDirectory('mongod', options, (directory, port) => ({
    command: 'mongod',
    arguments: ['--dbpath', directory, '--port', `${port}`, '--bind_ip', '127.0.0.1', '--nounixsocket'],
    ready: /"Waiting for connections","attr":\{"port":\d+/,
  }));
}

/** The closest to production first. */
const sources = [startGivenMongoDb, startMongod, startMongoJavaServer];

/**
 * A MongoDB for tests: MONGODB_URL, else `mongod`, else mongo-java-server. Throws `NoMongoDb`
 * if none is available, so that a suite can report that it did not run. An available server that does not
 * start is an error: a silent fallback would test another server.
 */
export async function startMongoDb(options: StartOptions = {}): Promise<MongoDbServer> {
  const lookedFor: string[] = [];
  for (const start of sources) {
    try {
      return await start(options);
    } catch (error) {
      if (!(error instanceof NotAvailable)) throw error;
      lookedFor.push(error.message);
    }
  }
  throw new NoMongoDb(lookedFor);
}
