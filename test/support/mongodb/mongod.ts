import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type MongoDbServer, NotAtHand, type StartOptions } from './mongodb-server.js';
import { outputOf } from './output-of.js';
import { serveFromDirectory } from './serve-from-directory.js';

/** A standalone `mongod` from the PATH: a server that needs no replica set is all that the service may ask for. */
export async function startMongod(options: StartOptions): Promise<MongoDbServer> {
  if ((await outputOf('mongod', ['--version'])) === undefined) throw new NotAtHand('mongod on the PATH: none');
  return serveFromDirectory('mongod', options, async (directory, port) => ({
    command: 'mongod',
    arguments: [
      '--dbpath',
      directory,
      '--port',
      `${port || (await freePort())}`,
      '--bind_ip',
      '127.0.0.1',
      '--nounixsocket',
    ],
    ready: /"Waiting for connections","attr":\{"port":(?<port>\d+)/,
  }));
}

/** mongod does not choose a port by itself. Somebody else may take this one in between; then it says so and ends. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has no other kind of address
  server.close();
  await once(server, 'close');
  return port;
}
