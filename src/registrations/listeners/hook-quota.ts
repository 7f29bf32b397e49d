import { LRUCache } from 'lru-cache';
import { listeners } from '../../../projections/listeners.js';
import { RateLimited } from '../../http/limits/rate-limit.js';
import { open } from '../../stores/read-model/projection.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';

/** The organisation has as many hooks as it may have. */
export class TooManyHooks extends RateLimited {
  override readonly code = 'too_many_hooks';

  constructor(max: number) {
    super(`the organisation has ${max} hooks, which is the maximum`, { name: 'hooks', count: max }, retryAfterMs);
  }
}

/** A retry helps only after a hook was removed. */
const retryAfterMs = 60_000;
/** Maximum wait for the count. A view that takes longer is in trouble, and must not stop registrations. */
const countTimeoutMs = 500;
/** An organisation's hooks are counted again after this part of the room left in its quota was asked for, or this time. */
const recountAfter = { part: 0.1, ms: 60_000 };
/** Maximum number of organisations in memory. */
const maxOrganisations = 10_000;

/** The maximum number of hooks if the organisation has that many, active and paused; else undefined. Never rejects. */
export type HookQuota = (orgId: string) => Promise<number | undefined>;

export type HookQuotaDependencies = {
  readonly readModel: Pick<ReadModel, 'count'>;
  /** Called if the hooks could not be counted, so that the quota was not applied; `undefined` when they can be again. */
  readonly onTrouble: (error: unknown) => void;
};

/**
 * Counts an organisation's hooks in the view, so hooks that are registered within its lag exceed the quota: an exact count would
 * need an append to one stream for all hooks of an organisation. Counts seldom while the quota is far away. `max` undefined: no
 * quota.
 */
export function hookQuota(max: number | undefined, { readModel, onTrouble }: HookQuotaDependencies): HookQuota {
  if (max === undefined) return async () => undefined;
  /** By organisation: the number of registrations before the next count. */
  const uncounted = new LRUCache<string, number>({ max: maxOrganisations, ttl: recountAfter.ms });
  return async (orgId) => {
    const left = uncounted.get(orgId) ?? 0;
    if (left > 0) {
      uncounted.set(orgId, left - 1, { noUpdateTTL: true });
      return undefined;
    }
    try {
      const count = await withTimeout(readModel.count(listeners, { orgId, until: open }, max));
      onTrouble(undefined);
      uncounted.set(orgId, Math.floor((max - count) * recountAfter.part));
      return count >= max ? max : undefined;
    } catch (error) {
      onTrouble(error);
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
