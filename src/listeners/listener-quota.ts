import { LRUCache } from 'lru-cache';
import { listenersView } from '../../projections/listeners.js';
import { RateLimited } from '../http/limits/rate-limit.js';
import { open } from '../views/projection.js';
import type { DocumentCounter } from '../views/read-model.js';

/** The organisation has as many listeners as it may have. */
export class TooManyListeners extends RateLimited {
  override readonly code = 'too_many_listeners';

  constructor(max: number) {
    super(
      `the organisation has ${max} listeners, which is the maximum`,
      { name: 'listeners', count: max },
      retryAfterMs,
    );
  }
}

/** A retry helps only after a listener was removed. */
const retryAfterMs = 60_000;
/** Maximum wait for the count. A view that takes longer is failing, and must not stop listeners. */
const countTimeoutMs = 500;
/** An organisation's listeners are counted again after this part of the remaining quota was requested, or this time. */
const recountAfter = { part: 0.1, ms: 60_000 };
/** Maximum number of organisations in memory. */
const maxOrganisations = 10_000;

/** The maximum number of listeners if the organisation has that many, active and paused; else undefined. Never rejects. */
export type ListenerQuota = (orgId: string) => Promise<number | undefined>;

export type ListenerQuotaDependencies = {
  readModel: DocumentCounter;
  /** Called if the listeners could not be counted, so that the quota was not applied; `undefined` when they can be again. */
  onFailure: (error: unknown) => void;
};

/**
 * Counts an organisation's listeners in the view, so listeners that are registered within its lag exceed the quota: an exact count would
 * need an append to one stream for all listeners of an organisation. Counts seldom while the quota is far away. `max` undefined: no
 * quota.
 */
export function listenerQuota(
  max: number | undefined,
  { readModel, onFailure }: ListenerQuotaDependencies,
): ListenerQuota {
  if (max === undefined) return async () => undefined;
  /** Number of listeners before the next count, by organisation. */
  const uncounted = new LRUCache<string, number>({ max: maxOrganisations, ttl: recountAfter.ms });
  return async (orgId) => {
    const left = uncounted.get(orgId) ?? 0;
    if (left > 0) {
      uncounted.set(orgId, left - 1, { noUpdateTTL: true });
      return undefined;
    }
    try {
      const count = await withTimeout(readModel.count(listenersView, { orgId, until: open }, max));
      onFailure(undefined);
      uncounted.set(orgId, Math.floor((max - count) * recountAfter.part));
      return count >= max ? max : undefined;
    } catch (error) {
      onFailure(error);
      return undefined;
    }
  };
}

async function withTimeout<Value>(work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${countTimeoutMs} ms`)), countTimeoutMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
