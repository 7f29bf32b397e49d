import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context.js';
import { Unauthenticated } from '../errors.js';
import type { Limiter } from './limiter.js';
import { RateLimited } from './rate-limit.js';

/**
 * Slows down the guessing of admin and API keys: after too many wrong keys from an address, keys from there are refused with
 * `RateLimited` before they are looked at. A key that was valid here within the last day is looked at nevertheless: guesses from
 * the address of a gateway or an office must not stop those who work there.
 *
 * Runs the check of a presented key, which rejects with `Unauthenticated` if the key is wrong.
 */
export type WrongKeys = <Result>(ctx: Context, key: string, check: () => Promise<Result>) => Promise<Result>;

/** Maximum number of remembered keys. */
const maxProven = 10_000;
const provenForMs = 86_400_000;

export function wrongKeys(failures: Limiter | undefined, keyOf: (ctx: Context) => string): WrongKeys {
  if (!failures) return (_, __, check) => check();
  /** SHA-256 of keys that were valid. */
  const proven = new LRUCache<string, true>({ max: maxProven, ttl: provenForMs });
  const refused = (resetMs: number) =>
    new RateLimited('too many wrong keys from this address; try again later', failures.limit, resetMs);

  return async (ctx, key, check) => {
    const digest = hash('sha256', key, 'base64url');
    if (!proven.has(digest)) {
      const { isExhausted, resetMs } = failures.usage(keyOf(ctx));
      if (isExhausted) throw refused(resetMs);
    }
    try {
      const result = await check();
      proven.set(digest, true);
      return result;
    } catch (error) {
      if (!(error instanceof Unauthenticated)) throw error;
      proven.delete(digest);
      const { isExceeded, resetMs } = failures.count(keyOf(ctx));
      throw isExceeded ? refused(resetMs) : error;
    }
  };
}
