import type { SettingsReader } from './settings.js';

// Settings that the service and the command line read alike. A command loads no other part of the configuration.

/** Where the stores of several instances are. */
export type Cluster = { readonly eventStoreDbUrl: string; readonly mongoDbUrl: string };

/** As it was given: relative, perhaps, to the current directory. */
export const dataDirectoryGiven = (settings: SettingsReader): string => settings.text('DATA_DIR') ?? 'data';

/** The two come together: events in one place and what is made of them in another would be no store at all. */
export function readCluster(settings: SettingsReader): Cluster | undefined {
  const eventStoreDbUrl = settings.text('EVENTSTOREDB_URL');
  const mongoDbUrl = settings.text('MONGODB_URL');
  if (eventStoreDbUrl !== undefined && mongoDbUrl !== undefined) return { eventStoreDbUrl, mongoDbUrl };
  if (eventStoreDbUrl !== undefined) settings.reject('MONGODB_URL', 'is needed where EVENTSTOREDB_URL is set');
  if (mongoDbUrl !== undefined) settings.reject('EVENTSTOREDB_URL', 'is needed where MONGODB_URL is set');
  return undefined;
}

/** Maximum size of a published flow event in bytes: below what one append holds, and below the limit of a request. */
export const maxEventBytes = (settings: SettingsReader): number =>
  settings.integer('MAX_EVENT_BYTES', { min: 1_024, max: 1_000_000, otherwise: 256 * 1_024 });
