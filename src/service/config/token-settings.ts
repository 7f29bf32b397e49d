import type { AccessSettings } from '../../access/access.js';
import type { SettingsReader } from './settings.js';

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;

/** Lifetimes of tokens and sessions, for the service and for commands. */
export const tokenSettings = (settings: SettingsReader): AccessSettings['tokens'] => ({
  accessTokenTtlMs: settings.duration('ACCESS_TOKEN_TTL', { min: second, max: 30 * day, otherwise: hour }),
  refreshGraceMs: settings.duration('REFRESH_GRACE', { min: 0, max: hour, otherwise: 120 * second }),
  refreshIdleMs: settings.duration('REFRESH_IDLE', { min: second, max: 3_650 * day, otherwise: 90 * day }),
  sessionLifetimeMs: settings.duration('SESSION_LIFETIME', { min: second, max: 3_650 * day, otherwise: 365 * day }),
});
