import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { reusablePort } from '../../eventstoredb-double/src/reusable-port.js';
import { startProcess } from '../process.js';
import { temporaryDirectory } from '../temporary-directory.js';
import type { MongoDbServer, StartOptions } from './mongodb-server.js';

/** A command that starts a server, and the line that it prints when it is ready. */
export type Launch = { command: string; arguments: readonly string[]; ready: RegExp };

/** A server process with its own directory, which can be stopped, killed and restarted on its port with its data. */
export async function serveFromDirectory(
  kind: MongoDbServer['kind'],
  { port: requested = 0, dataDirectory = temporaryDirectory() }: StartOptions,
  launch: (directory: string, port: number) => Launch,
): Promise<MongoDbServer> {
  const directory = join(dataDirectory, kind); // only this subdirectory may be deleted
  const port = requested || (await reusablePort());
  const start = async () => {
    await mkdir(directory, { recursive: true });
    const { command, arguments: args, ready } = launch(directory, port);
    const started = startProcess(command, args, { env: process.env, staysOpen: true });
    await started.prints(ready);
    return started;
  };
  let server = await start();
  const stop = async () => void (await server.stop());
  return {
    kind,
    url: `mongodb://127.0.0.1:${port}/`,
    pid: () => server.pid,
    stop,
    kill: async () => void (await server.stop('SIGKILL')),
    async restart({ keepData }) {
      await stop();
      if (!keepData) await rm(directory, { recursive: true, force: true });
      server = await start();
    },
  };
}
