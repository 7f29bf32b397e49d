import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { addressOf, type Context } from '../context.js';
import { PayloadTooLarge, Unauthenticated } from '../errors.js';
import { networkOf } from '../trusted-peers.js';
import type { Limiter } from './limiter.js';
import { RateLimited } from './rate-limit.js';

/**
 * Runs the check of a presented key, and refuses keys with `RateLimited` after too many wrong ones from an address. A key that was
 * valid within the last day is checked nevertheless: guesses from the address of an office must not stop its users. A wrong key counts
 * once a day: a program with a revoked key does not guess. The check rejects with `Unauthenticated` if the key is wrong.
 */
export type WrongKeys = <Result>(ctx: Context, key: string, check: () => Promise<Result>) => Promise<Result>;

const remembered = { max: 10_000, ttl: 86_400_000 };

function wrongKeys(failures: Limiter | undefined, keyOf: (ctx: Context) => string): WrongKeys {
  if (!failures) return (_, __, check) => check();
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

type RequestLimiters = {
  /** Failed token requests, and wrong keys: of one address, and of one client. */
  failures?: Limiter;
  address?: Limiter;
  client?: Limiter;
  apiKey?: Limiter;
  organisation?: Limiter;
  events?: Limiter;
  changes?: Limiter;
};

/** An identified caller; undefined: it used no API key, or is no client. */
export type LimitedCaller = { apiKeyId?: string; clientId?: string };

/** Limits of requests to listener and flow routes. */
export type ListenerLimits = {
  /** A request to a listener or flow route, before its caller is identified. */
  arrival: (ctx: Context) => Promise<void>;
  listenerRequest: (caller: LimitedCaller, orgId: string) => Promise<void>;
};

/** Limits of flow events. */
export type PublishingLimits = {
  flowEvent: (caller: LimitedCaller, orgId: string) => Promise<void>;
  /**
   * A request that publishes flow events: their number by organisation. If those of one organisation exceed the limit, none is
   * counted. Also rejects with `PayloadTooLarge` if they would at any time.
   */
  flowEvents: (caller: LimitedCaller, events: ReadonlyMap<string, number>) => Promise<void>;
};

/** Limits of requests to admin routes. */
export type AdminLimits = {
  /** A request to an admin route. */
  apiKeyRequest: (apiKeyId: string) => Promise<void>;
  /** A change that an organisation makes by an admin route, or on the portal. */
  change: (orgId: string) => Promise<void>;
};

/** Limits of guesses at credentials. */
export type GuessLimits = {
  /** A token request that was refused: a valid one is never counted, nor refused because of a limit. */
  failedTokenRequest: (ctx: Context, clientId: string | undefined) => Promise<void>;
  wrongKeys: WrongKeys;
};

/** Counts requests. All methods but `wrongKeys` reject with `RateLimited` if a limit is exceeded. */
export type RequestLimits = ListenerLimits & PublishingLimits & AdminLimits & GuessLimits;

export function requestLimits(limiters: RequestLimiters): RequestLimits {
  const { failures, address, client, apiKey, organisation, events, changes } = limiters;
  const keyOf = (ctx: Context) => networkOf(addressOf(ctx)) ?? 'unknown';

  /** A request that one limit refuses is not counted by the next: all users of a client share its limit, so it is the last. */
  async function ofCaller({ apiKeyId, clientId }: LimitedCaller, ofOrganisation: () => Promise<void>): Promise<void> {
    if (apiKeyId !== undefined) await count(apiKey, apiKeyId, 'with this API key');
    await ofOrganisation();
    if (clientId !== undefined) await count(client, clientId, 'of this client');
  }

  const flowEvents: RequestLimits['flowEvents'] = (caller, numbers) =>
    ofCaller(caller, async () => events && countEvents(events, numbers));

  return {
    arrival: async (ctx) => address && count(address, keyOf(ctx), 'from this address'),
    listenerRequest: (caller, orgId) => ofCaller(caller, () => count(organisation, orgId, 'of this organisation')),
    apiKeyRequest: (apiKeyId) => ofCaller({ apiKeyId }, async () => undefined),
    change: (orgId) => count(changes, orgId, 'that change something of this organisation'),
    flowEvent: (caller, orgId) => flowEvents(caller, new Map([[orgId, 1]])),
    flowEvents,
    async failedTokenRequest(ctx, clientId) {
      if (!failures) return;
      await count(failures, `address ${keyOf(ctx)}`, 'from this address that failed');
      if (clientId !== undefined) await count(failures, `client ${clientId}`, 'of this client that failed');
    },
    wrongKeys: wrongKeys(failures, (ctx) => `keys ${keyOf(ctx)}`),
  };
}

/** `which` completes the message "too many requests …". */
async function count(limiter: Limiter | undefined, key: string, which: string): Promise<void> {
  if (!limiter) return;
  const { isExceeded, resetMs } = limiter.count(key);
  if (isExceeded) throw exceeded(limiter, resetMs, which);
}

function countEvents(limiter: Limiter, numbers: ReadonlyMap<string, number>): void {
  const { count: max, windowMs } = limiter.limit;
  for (const [orgId, number] of numbers) {
    if (number > max)
      throw new PayloadTooLarge(
        `send at most ${max} events of an organisation at once: its limit in ${windowMs / 1_000} s`,
      );
    const { isExceeded, resetMs } = limiter.usage(orgId, number);
    if (isExceeded) throw exceeded(limiter, resetMs, 'to publish flow events of this organisation');
  }
  for (const [orgId, number] of numbers) limiter.count(orgId, number);
}

const exceeded = ({ limit }: Limiter, resetMs: number, which: string): RateLimited =>
  new RateLimited(`too many requests ${which}; try again later`, limit, resetMs);
