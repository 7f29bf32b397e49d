import type { RateLimit } from '../../http/limits/rate-limit.js';
import { durationMs, type SettingsReader } from './settings.js';

/** An undefined limit is off. */
export type LimitSettings = {
  readonly [Name in 'failures' | 'address' | 'client' | 'apiKey' | 'organisation' | 'events']: RateLimit | undefined;
};

const second = 1_000;
const minute = 60 * second;
const day = 86_400 * second;
const maxCount = 1_000_000_000;

/**
 * The defaults of production are far above what a well-behaved caller needs. In development mode all limits are off: everything
 * comes from one address there.
 */
const defaults: LimitSettings = {
  failures: { count: 100, windowMs: minute },
  address: { count: 5_000, windowMs: second },
  client: { count: 5_000, windowMs: second },
  apiKey: { count: 5_000, windowMs: second },
  organisation: { count: 1_000, windowMs: minute },
  events: { count: 1_000, windowMs: second },
};

const names = {
  failures: 'RATE_LIMIT_FAILURES',
  address: 'RATE_LIMIT_ADDRESS',
  client: 'RATE_LIMIT_CLIENT',
  apiKey: 'RATE_LIMIT_API_KEY',
  organisation: 'RATE_LIMIT_ORGANISATION',
  events: 'RATE_LIMIT_EVENTS',
} as const;

export function readLimits(settings: SettingsReader, mode: 'development' | 'production'): LimitSettings {
  const read = (name: keyof LimitSettings) =>
    settings.read(names[name], rateLimit, mode === 'production' ? defaults[name] : undefined);
  return {
    failures: read('failures'),
    address: read('address'),
    client: read('client'),
    apiKey: read('apiKey'),
    organisation: read('organisation'),
    events: read('events'),
  };
}

const defaultMaxListeners = 10_000;

/** Maximum number of listeners of an organisation; undefined: any. */
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
