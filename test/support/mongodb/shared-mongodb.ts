import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { temporaryDirectory } from '../temporary-directory.js';
import { type MongoDbServer, NoMongoDb } from './mongodb-server.js';
import { startMongoDb } from './start-mongodb.js';

/** Names, in the environment of the processes of a test run, the Unix socket that answers with their common server. */
const socketVariable = 'FLOW_HOOKS_TEST_MONGODB';

type Answer = Pick<MongoDbServer, 'kind' | 'url'> | { lookedFor: readonly string[] } | { failure: string };

/**
 * Shares one MongoDB among the test processes that get this environment. It starts on the first request, so that tests
 * without MongoDB do not wait for it.
 */
export async function shareMongoDb(): Promise<{
  environment: Readonly<Record<string, string>>;
  stop: () => Promise<void>;
}> {
  let starting: Promise<MongoDbServer> | undefined;
  const socketPath = join(temporaryDirectory(), 'mongodb.sock');
  const server = createServer(async (socket) => {
    socket.on('error', () => {}); // the test process has ended
    starting ??= startMongoDb();
    socket.end(JSON.stringify(await starting.then(answerOf, failureOf)));
  }).listen(socketPath);
  await once(server, 'listening');
  return {
    environment: { [socketVariable]: socketPath },
    async stop() {
      server.close();
      const started = await starting?.catch(() => undefined);
      await started?.stop?.();
    },
  };
}

const answerOf = ({ kind, url }: MongoDbServer): Answer => ({ kind, url });
const failureOf = (error: unknown): Answer =>
  error instanceof NoMongoDb ? { lookedFor: error.lookedFor } : { failure: `${error}` };

/**
 * The shared MongoDB of this test run, without methods to stop it; without a test run, its own server.
 * Throws `NoMongoDb` as `startMongoDb` does.
 */
export async function sharedMongoDb(): Promise<MongoDbServer> {
  const path = process.env[socketVariable];
  if (path === undefined) return startMongoDb();
  const answer = (await json(createConnection({ path }))) as Answer; // as `shareMongoDb` wrote it
  if ('lookedFor' in answer) throw new NoMongoDb(answer.lookedFor);
  if ('failure' in answer) throw new Error(answer.failure);
  return answer;
}
