import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context.js';
import { Unauthenticated } from '../errors.js';
import type { Limiter } from './limiter.js';
import { RateLimited } from './rate-limit.js';

/**
 * Slows down the guessing of admin and API keys: after too many wrong keys from an address, keys from there are refused with
 * `RateLimited` before they are looked at. A key that was valid here within the last day is looked at nevertheless: guesses from
 * the address of a gateway or an office must not stop those who work there. A wrong key counts once a day: a program that goes on with a
 * revoked key does not guess.
 *
 * Runs the check of a presented key, which rejects with `Unauthenticated` if the key is wrong.
 */
export type WrongKeys = <Result>(ctx: Context, key: string, check: () => Promise<Result>) => Promise<Result>;

/** Maximum numbers of valid and of wrong keys that are remembered, and for how long. */
const remembered = { max: 10_000, ttl: 86_400_000 };

export function wrongKeys(failures: Limiter | undefined, keyOf: (ctx: Context) => string): WrongKeys {
  if (!failures) return (_, __, check) => check();
  /** SHA-256 of keys that were valid, and of keys that were wrong. */
  const proven = new LRUCache<string, true>(remembered);
  const wrong = new LRUCache<string, true>(remembered);
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
      if (wrong.has(digest)) throw error;
      wrong.set(digest, true);
      const { isExceeded, resetMs } = failures.count(keyOf(ctx));
      throw isExceeded ? refused(resetMs) : error;
    }
  };
}
