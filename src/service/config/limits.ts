import type { RateLimit } from '../../http/limits/rate-limit.js';
import { durationMs, type SettingsReader } from './settings.js';

const second = 1_000;
const minute = 60 * second;
const day = 86_400 * second;
const maxCount = 1_000_000_000;

/**
 * The defaults in production are far above the needs of a well-behaved caller. In development mode everything comes
 * from one address, so all limits are off.
 */
const limits = {
  failures: { setting: 'RATE_LIMIT_FAILURES', otherwise: { count: 100, windowMs: minute } },
  address: { setting: 'RATE_LIMIT_ADDRESS', otherwise: { count: 5_000, windowMs: second } },
  client: { setting: 'RATE_LIMIT_CLIENT', otherwise: { count: 5_000, windowMs: second } },
  apiKey: { setting: 'RATE_LIMIT_API_KEY', otherwise: { count: 5_000, windowMs: second } },
  organisation: { setting: 'RATE_LIMIT_ORGANISATION', otherwise: { count: 1_000, windowMs: minute } },
  changes: { setting: 'RATE_LIMIT_CHANGES', otherwise: { count: 60, windowMs: minute } },
  events: { setting: 'RATE_LIMIT_EVENTS', otherwise: { count: 1_000, windowMs: second } },
} as const;

/** An undefined limit is off. */
export type LimitSettings = Readonly<Record<keyof typeof limits, RateLimit | undefined>>;

export const limitSettings = Object.fromEntries(
  Object.entries(limits).map(([name, { setting }]) => [name, setting]),
) as Readonly<Record<keyof typeof limits, string>>;

export function readLimits(settings: SettingsReader, mode: 'development' | 'production'): LimitSettings {
  const values = Object.entries(limits).map(([name, { setting, otherwise }]) => [
    name,
    settings.read(setting, rateLimit, mode === 'production' ? otherwise : undefined),
  ]);
  return Object.fromEntries(values) as LimitSettings;
}

const defaultMaxListeners = 10_000;

/** Undefined: any number. */
export const readMaxListeners = (settings: SettingsReader, mode: 'development' | 'production'): number | undefined =>
  settings.read('MAX_LISTENERS', maxListeners, mode === 'production' ? defaultMaxListeners : undefined);

/** `100/1m`; undefined for `off`. Throws an Error whose message follows the setting's name. */
function rateLimit(text: string): RateLimit | undefined {
  if (text === 'off') return undefined;
  const [, number = '', window = ''] = /^(\d+)\s*\/\s*(\S+)$/.exec(text) ?? [];
  const limit = { count: Number(number), windowMs: durationMs(window) };
  if (number !== '' && limit.count >= 1 && limit.count <= maxCount && limit.windowMs >= second && limit.windowMs <= day)
    return limit;
  throw new Error(`must be a number and a duration from 1s to 1d, such as 100/1m, or off, but is '${text}'`);
}

function maxListeners(text: string): number | undefined {
  if (text === 'off') return undefined;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= 1_000_000) return number;
  throw new Error(`must be a whole number from 1 to 1000000, or off, but is '${text}'`);
}
