import { z } from 'zod';
import type { RateLimit } from '../../http/limits/rate-limit.js';
import { nameOf, orOff, setting, wholeNumber } from './schema.js';
import { durationMs } from './settings.js';

const second = 1_000;
const minute = 60 * second;
const day = 86_400 * second;

/** `100/1m`; undefined for `off`. */
const rateLimit = orOff('a number and a duration from 1s to 1d, such as 100/1m', (text): RateLimit | undefined => {
  const [, number = '', window = ''] = /^(\d+)\s*\/\s*(\S+)$/.exec(text) ?? [];
  const count = wholeNumber(number, 1, 1_000_000_000);
  const windowMs = durationMs(window);
  return count !== undefined && windowMs >= second && windowMs <= day ? { count, windowMs } : undefined;
});

const numberOrOff = orOff('a whole number from 1 to 1000000', (text) => wholeNumber(text, 1, 1_000_000));

/**
 * The defaults in production are far above the needs of a well-behaved caller. In development mode everything comes
 * from one address, so all limits are off. An undefined limit is off.
 */
export const limits = (development: boolean) => {
  const limit = (name: string, count: number, windowMs: number) =>
    setting(name, rateLimit, development ? undefined : { count, windowMs });
  return z.object({
    failures: limit('RATE_LIMIT_FAILURES', 100, minute),
    address: limit('RATE_LIMIT_ADDRESS', 5_000, second),
    client: limit('RATE_LIMIT_CLIENT', 5_000, second),
    apiKey: limit('RATE_LIMIT_API_KEY', 5_000, second),
    organisation: limit('RATE_LIMIT_ORGANISATION', 1_000, minute),
    changes: limit('RATE_LIMIT_CHANGES', 60, minute),
    events: limit('RATE_LIMIT_EVENTS', 1_000, second),
  });
};

export type LimitSettings = z.output<ReturnType<typeof limits>>;

export const limitNames = Object.fromEntries(
  Object.entries(limits(false).shape).map(([key, schema]) => [key, nameOf(schema)]),
) as Readonly<Record<keyof LimitSettings, string>>; // with the same keys

/** Undefined: any number. */
export const maxListeners = (development: boolean) =>
  setting('MAX_LISTENERS', numberOrOff, development ? undefined : 10_000);

/** Maximum for one member; undefined: any number. */
export const maxAgentSubscriptions = (development: boolean) =>
  setting('MAX_AGENT_SUBSCRIPTIONS', numberOrOff, development ? undefined : 100);
