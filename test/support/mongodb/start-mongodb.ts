import { startGivenMongoDb } from './given-mongodb.js';
import { startMongoJavaServer } from './mongo-java-server.js';
import { startMongod } from './mongod.js';
import { type MongoDbServer, NoMongoDb, NotAvailable, type StartOptions } from './mongodb-server.js';

/** The closest to production first. */
const sources = [startGivenMongoDb, startMongod, startMongoJavaServer];

/**
 * A MongoDB for tests: MONGODB_URL, else `mongod`, else mongo-java-server. Throws `NoMongoDb`
 * if none is available, so that a suite can report that it did not run. An available server that does not
 * start is an error: a silent fallback would test another server.
 */
export async function startMongoDb(options: StartOptions = {}): Promise<MongoDbServer> {
  const lookedFor: string[] = [];
  for (const start of sources) {
    try {
      return await start(options);
    } catch (error) {
      if (!(error instanceof NotAvailable)) throw error;
      lookedFor.push(error.message);
    }
  }
  throw new NoMongoDb(lookedFor);
}
