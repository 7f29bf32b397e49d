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

/** The maximum number of hooks if the organisation has that many, active and paused; else undefined. Never rejects. */
export type HookQuota = (orgId: string) => Promise<number | undefined>;

export type HookQuotaDependencies = {
  readonly readModel: Pick<ReadModel, 'count'>;
  /** Called if the hooks could not be counted, so that the quota was not applied; `undefined` when they can be again. */
  readonly onTrouble: (error: unknown) => void;
};

/**
 * Counts an organisation's hooks in the view, so hooks that are registered within its lag exceed the quota: an exact count would
 * need an append to one stream for all hooks of an organisation. `max` undefined: no quota.
 */
export function hookQuota(max: number | undefined, { readModel, onTrouble }: HookQuotaDependencies): HookQuota {
  if (max === undefined) return async () => undefined;
  return async (orgId) => {
    try {
      const count = await withTimeout(readModel.count(listeners, { orgId, until: open }, max));
      onTrouble(undefined);
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
