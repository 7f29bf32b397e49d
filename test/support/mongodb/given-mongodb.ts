import { type MongoDbServer, NotAvailable } from './mongodb-server.js';

/** A server that runs already, such as a service container of the CI. The tests must not stop it. */
export async function startGivenMongoDb(): Promise<MongoDbServer> {
  const url = process.env.MONGODB_URL;
  if (!url) throw new NotAvailable('MONGODB_URL in the environment: not set');
  return { kind: 'given', url };
}
