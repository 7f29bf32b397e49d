import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { reusablePort } from '../../eventstoredb-double/src/reusable-port.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { type MongoDbServer, NotAvailable, type StartOptions } from './mongodb-server.js';

/** The used part of the package, which is not a dependency of the project since its installation downloads a server. */
type Instance = { port: number; dbPath: string; storageEngine: 'wiredTiger' };
type Started = {
  instanceInfo?: {
    port: number;
    instance: { mongodProcess?: { pid?: number } };
  };
  stop(options: { doCleanup: boolean }): Promise<boolean>;
};
type Package = { MongoMemoryServer: { create(options: { instance: Partial<Instance> }): Promise<Started> } };

/**
 * A server of the npm package mongodb-memory-server, if that is installed in addition to the project's dependencies.
 */
export async function startMongoMemoryServer(options: StartOptions): Promise<MongoDbServer> {
  const { MongoMemoryServer } = await installed();
  const directory = join(options.dataDirectory ?? temporaryDirectory(), 'mongodb-memory-server');
  const port = options.port || (await reusablePort());
  const start = async () => {
    await mkdir(directory, { recursive: true });
    return MongoMemoryServer.create({
      instance: { dbPath: directory, storageEngine: 'wiredTiger', port },
    });
  };

  let server = await start();
  const pid = () => server.instanceInfo?.instance.mongodProcess?.pid;
  const stop = async () => void (await server.stop({ doCleanup: false }));
  return {
    kind: 'mongodb-memory-server',
    url: `mongodb://127.0.0.1:${port}/`,
    pid,
    stop,
    async kill() {
      const running = pid();
      if (running !== undefined) process.kill(running, 'SIGKILL');
      await stop();
    },
    async restart({ keepData }) {
      await stop();
      if (!keepData) await rm(directory, { recursive: true, force: true });
      server = await start();
    },
  };
}

async function installed(): Promise<Package> {
  const name: string = 'mongodb-memory-server'; // not a literal type: the compiler must not ask for its types
  try {
    return (await import(name)) as Package; // no types without the package; `Package` is what we rely on
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new NotAvailable('the npm package mongodb-memory-server: not installed');
  }
}
