import { z } from 'zod';
import { duration, integer, setting } from './schema.js';

// Settings of the service and of the command line. A command loads no other part of the configuration.

export type Cluster = { eventStoreDbUrl: string; mongoDbUrl: string };

/** Both or neither: views and deliveries belong to the events that they were made from. Undefined: the embedded store. */
export const cluster = z
  .object({ eventStoreDbUrl: setting('EVENTSTOREDB_URL'), mongoDbUrl: setting('MONGODB_URL') })
  .transform(({ eventStoreDbUrl, mongoDbUrl }, { addIssue }): Cluster | undefined => {
    if (eventStoreDbUrl !== undefined && mongoDbUrl !== undefined) return { eventStoreDbUrl, mongoDbUrl };
    const needed = (key: string, other: string) =>
      addIssue({ code: 'custom', path: [key], message: `is needed where ${other} is set` });
    if (eventStoreDbUrl !== undefined) needed('mongoDbUrl', 'EVENTSTOREDB_URL');
    if (mongoDbUrl !== undefined) needed('eventStoreDbUrl', 'MONGODB_URL');
    return undefined;
  });

/** Limit below those of one append and of a request. */
export const maxEventBytes = setting('MAX_EVENT_BYTES', integer(1_024, 1_000_000), 256 * 1_024);

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;

export const tokens = z.object({
  accessTokenTtlMs: duration('ACCESS_TOKEN_TTL', second, 30 * day, hour),
  refreshGraceMs: duration('REFRESH_GRACE', 0, hour, 120 * second),
  refreshIdleMs: duration('REFRESH_IDLE', second, 3_650 * day, 90 * day),
  sessionLifetimeMs: duration('SESSION_LIFETIME', second, 3_650 * day, 365 * day),
});
