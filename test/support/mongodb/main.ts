import { parseArgs } from 'node:util';
import { startMongoDb } from './start-mongodb.js';

/** `npm run mongodb:double -- --port N [--data DIR]`: serves until SIGTERM or Ctrl-C, and keeps its data in DIR. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '27017' }, data: { type: 'string' } } });
  // Always starts its own server, not the one that MONGODB_URL gives to the tests.
  delete process.env.MONGODB_URL;
  const server = await startMongoDb({
    port: Number(values.port),
    ...(values.data === undefined ? {} : { dataDirectory: values.data }),
  });
  const stop = async () => {
    await server.stop?.();
    process.exit(0);
  };
  process.once('SIGTERM', () => void stop());
  process.once('SIGINT', () => void stop());
  console.log(`${server.url} (${server.kind})`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
