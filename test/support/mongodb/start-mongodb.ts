import { startGivenMongoDb } from './given-mongodb.js';
import { startMongoJavaServer } from './mongo-java-server.js';
import { startMongod } from './mongod.js';
import { startMongoMemoryServer } from './mongodb-memory-server.js';
import { type MongoDbServer, NoMongoDb, NotAtHand, type StartOptions } from './mongodb-server.js';

/** The nearest to production first. The last one may download a server when it starts, so it is asked last. */
const ways = [startGivenMongoDb, startMongod, startMongoJavaServer, startMongoMemoryServer];

/**
 * A MongoDB for tests: MONGODB_URL, else `mongod`, else mongo-java-server, else mongodb-memory-server.
 * Throws `NoMongoDb` where this machine has none of them, so that a suite can say loudly that it did not run. A server
 * that is at hand but does not start is an error of its own: falling back in silence would test something else.
 */
export async function startMongoDb(options: StartOptions = {}): Promise<MongoDbServer> {
  const lookedFor: string[] = [];
  for (const start of ways) {
    try {
      return await start(options);
    } catch (error) {
      if (!(error instanceof NotAtHand)) throw error;
      lookedFor.push(error.message);
    }
  }
  throw new NoMongoDb(lookedFor);
}
