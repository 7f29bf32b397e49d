import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { reusablePort } from '../../eventstoredb-double/src/reusable-port.js';
import { temporaryDirectory } from '../temporary-directory.js';
import type { MongoDbServer, StartOptions } from './mongodb-server.js';
import { type Launch, startServerProcess } from './server-process.js';

/**
 * A server process with its own directory, which can be stopped, killed and restarted on its port with its data.
 */
export async function serveFromDirectory(
  kind: MongoDbServer['kind'],
  { port: wanted = 0, dataDirectory = temporaryDirectory() }: StartOptions,
  launch: (directory: string, port: number) => Launch | Promise<Launch>,
): Promise<MongoDbServer> {
  const directory = join(dataDirectory, kind); // only this subdirectory may be deleted
  const start = async (port: number) => {
    await mkdir(directory, { recursive: true });
    return startServerProcess(await launch(directory, port));
  };

  const port = wanted || (await reusablePort());
  let server = await start(port);
  return {
    kind,
    url: `mongodb://127.0.0.1:${port}/`,
    pid: () => server.pid,
    stop: () => server.stop(),
    kill: () => server.kill(),
    async restart({ keepData }) {
      await server.stop();
      if (!keepData) await rm(directory, { recursive: true, force: true });
      server = await start(port);
    },
  };
}
