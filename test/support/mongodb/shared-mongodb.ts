import { type MongoDbServer, NoMongoDb } from './mongodb-server.js';
import { startMongoDb } from './start-mongodb.js';

/** Names the common server of a test run, in the environment of its processes. */
const sharedVariable = 'FLOW_HOOKS_TEST_MONGODB';

/** Starts one MongoDB for the test processes that get this environment; none where there is no MongoDB, which each of them reports. */
export async function shareMongoDb(): Promise<{
  environment: Readonly<Record<string, string>>;
  stop?: () => Promise<void>;
}> {
  try {
    const { kind, url, stop } = await startMongoDb();
    return { environment: { [sharedVariable]: JSON.stringify({ kind, url }) }, ...(stop && { stop }) };
  } catch (error) {
    if (!(error instanceof NoMongoDb)) throw error;
    return { environment: {} };
  }
}

/**
 * The shared MongoDB of this test run, without methods to stop it; without a test run, its own server.
 * Throws `NoMongoDb` as `startMongoDb` does.
 */
export async function sharedMongoDb(): Promise<MongoDbServer> {
  const shared = process.env[sharedVariable];
  return shared === undefined ? startMongoDb() : (JSON.parse(shared) as MongoDbServer); // as `shareMongoDb` wrote it
}
