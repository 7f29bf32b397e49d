import { resolve } from 'node:path';
import { z } from 'zod';
import { neededWith, type Setting, setting } from '../kernel/settings/setting.js';

export const dataDirectory = setting(
  'DATA_DIR',
  z
    .string()
    .transform((path) => resolve(path))
    .prefault('data'),
);

/** Undefined, as `EVENTSTOREDB_URL`: the embedded store. */
export const mongoDbUrl: Setting<string | undefined> = setting('MONGODB_URL', z.string().optional(), {
  problem: (...given) => neededWith(eventStoreDbUrl)(...given),
});
const eventStoreDbUrl = setting('EVENTSTOREDB_URL', z.string().optional(), { problem: neededWith(mongoDbUrl) });

/** Both or neither: views and deliveries belong to the events that they were made from. Undefined: the embedded store. */
export const cluster = z
  .object({ eventStoreDbUrl, mongoDbUrl })
  .transform(({ eventStoreDbUrl, mongoDbUrl }) =>
    eventStoreDbUrl !== undefined && mongoDbUrl !== undefined ? { eventStoreDbUrl, mongoDbUrl } : undefined,
  );

export type Cluster = NonNullable<z.output<typeof cluster>>;
