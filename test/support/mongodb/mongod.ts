import { type MongoDbServer, NotAvailable, type StartOptions } from './mongodb-server.js';
import { outputOf } from './output-of.js';
import { serveFromDirectory } from './serve-from-directory.js';

/** A standalone `mongod` from the PATH: the service must not require a replica set. */
export async function startMongod(options: StartOptions): Promise<MongoDbServer> {
  if ((await outputOf('mongod', ['--version'])) === undefined) throw new NotAvailable('mongod on the PATH: none');
  return serveFromDirectory('mongod', options, (directory, port) => ({
    command: 'mongod',
    arguments: ['--dbpath', directory, '--port', `${port}`, '--bind_ip', '127.0.0.1', '--nounixsocket'],
    ready: /"Waiting for connections","attr":\{"port":(?<port>\d+)/,
  }));
}
