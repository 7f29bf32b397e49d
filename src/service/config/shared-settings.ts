import type { AccessSettings } from '../../access/access.js';
import type { SettingsReader } from './settings.js';

// Settings of the service and of the command line. A command loads no other part of the configuration.

export type Cluster = { eventStoreDbUrl: string; mongoDbUrl: string };

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

/** Limit below those of one append and of a request. */
export const maxEventBytes = (settings: SettingsReader): number =>
  settings.integer('MAX_EVENT_BYTES', { min: 1_024, max: 1_000_000, otherwise: 256 * 1_024 });

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;

export const tokenSettings = (settings: SettingsReader): AccessSettings['tokens'] => ({
  accessTokenTtlMs: settings.duration('ACCESS_TOKEN_TTL', { min: second, max: 30 * day, otherwise: hour }),
  refreshGraceMs: settings.duration('REFRESH_GRACE', { min: 0, max: hour, otherwise: 120 * second }),
  refreshIdleMs: settings.duration('REFRESH_IDLE', { min: second, max: 3_650 * day, otherwise: 90 * day }),
  sessionLifetimeMs: settings.duration('SESSION_LIFETIME', { min: second, max: 3_650 * day, otherwise: 365 * day }),
});
