import type { SettingsReader } from './settings.js';

// Settings of the service and of the command line. A command loads no other part of the configuration.

/** The location of the stores that several instances share. */
export type Cluster = { readonly eventStoreDbUrl: string; readonly mongoDbUrl: string };

/** May be relative to the current directory. */
export const dataDirectoryGiven = (settings: SettingsReader): string => settings.text('DATA_DIR') ?? 'data';

/** Both or neither: views and deliveries belong to the events that they were made from. */
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
