import { type MongoDbServer, NotAtHand, type StartOptions } from './mongodb-server.js';
import { outputOf } from './output-of.js';
import { serveFromDirectory } from './serve-from-directory.js';

/** A standalone `mongod` from the PATH: a server that needs no replica set is all that the service may ask for. */
export async function startMongod(options: StartOptions): Promise<MongoDbServer> {
  if ((await outputOf('mongod', ['--version'])) === undefined) throw new NotAtHand('mongod on the PATH: none');
  return serveFromDirectory('mongod', options, (directory, port) => ({
    command: 'mongod',
    arguments: ['--dbpath', directory, '--port', `${port}`, '--bind_ip', '127.0.0.1', '--nounixsocket'],
    ready: /"WaitingDeliveries for connections","attr":\{"port":(?<port>\d+)/,
  }));
}
