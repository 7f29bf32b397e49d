import { type MongoDbServer, NotAtHand } from './mongodb-server.js';

/** The server that somebody else runs for us, as the CI's service containers. It is not ours to stop. */
export async function startGivenMongoDb(): Promise<MongoDbServer> {
  const url = process.env.MONGODB_URL;
  if (!url) throw new NotAtHand('MONGODB_URL in the environment: not set');
  return { kind: 'given', url };
}
