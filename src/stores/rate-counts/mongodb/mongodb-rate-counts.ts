import { createHash } from 'node:crypto';
import type { Db } from 'mongodb';
import { RateLimiterMongo } from 'rate-limiter-flexible';
import type { MongoDatabase } from '../../mongodb/mongodb-database.js';
import type { RateCounts } from '../rate-counts.js';

const collection = 'rate-counts';

/**
 * The server removes documents after their windows. A lost count is harmless, so writes are not journalled and wait for
 * no majority.
 */
export function mongoRateCounts({ db: { client, databaseName } }: Pick<MongoDatabase, 'db'>): RateCounts {
  const db = client.db(databaseName, { writeConcern: { w: 1, journal: false } });
  const limiters = new Map<string, RateLimiterMongo>();
  let indexed: Promise<void> | undefined;

  /** Only the unique index makes concurrent first additions one window. */
  function withIndexes(limiter: RateLimiterMongo): Promise<void> {
    indexed ??= limiter.createIndexes().catch((error: unknown) => {
      indexed = undefined;
      throw error;
    });
    return indexed;
  }

  return {
    async add({ name, windowMs }, key, points) {
      const limiter = limiters.get(name) ?? limiterIn(db, name, windowMs);
      limiters.set(name, limiter);
      await withIndexes(limiter);
      const { consumedPoints, msBeforeNext } = await limiter.penalty(pseudonym(key), points);
      return { count: consumedPoints, resetMs: msBeforeNext };
    },
  };
}

const limiterIn = (db: Db, name: string, windowMs: number): RateLimiterMongo =>
  new RateLimiterMongo({
    storeClient: db,
    tableName: collection,
    keyPrefix: name,
    points: 0, // the caller compares
    duration: windowMs / 1_000,
    disableIndexesCreation: true, // it would print errors instead of reporting them
  });

/** The database holds neither addresses nor organisations. */
const pseudonym = (key: string): string => createHash('sha256').update(key).digest('base64url');
