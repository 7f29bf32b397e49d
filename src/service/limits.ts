import type { Logger } from 'pino';
import { type Limiter, limiter, type Sharing } from '../http/limits/limiter.js';
import type { RateLimit } from '../http/limits/rate-limit.js';
import { type RequestLimits, requestLimits } from '../http/limits/request-limits.js';
import { watchTrouble } from '../kernel/trouble.js';
import type { RateCounts } from '../stores/rate-counts/rate-counts.js';
import type { LimitSettings } from './config/limits.js';
import { addCounter, type Metrics } from './metrics/metrics.js';
import type { OnStop } from './stores/stores.js';

type LimitDependencies = {
  /** Undefined: there are no other instances. */
  rateCounts: RateCounts | undefined;
  metrics: Metrics;
  log: Logger;
};

export type OpenedLimits = {
  limits: RequestLimits;
  onQuotaTrouble: (error: unknown) => void;
};

/** Failures of the limits' stores are counted, and logged once at their start and end. */
export function openLimits(settings: LimitSettings, dependencies: LimitDependencies, onStop: OnStop): OpenedLimits {
  const { rateCounts, metrics, log } = dependencies;
  const countTrouble = addCounter(
    metrics,
    'flow_hooks_limit_store_failures_total',
    'Failures of the store of a limit: rate-counts, each instance counted by itself; listener-quota, the quota was not applied',
    'limit',
    ['rate-counts', 'listener-quota'],
  );
  const sharing = rateCounts && sharingOf(rateCounts, log, () => countTrouble('rate-counts'));
  const opened: Limiter[] = [];
  const open = (name: string, limit: RateLimit | undefined): Limiter | undefined => {
    if (!limit) return undefined;
    const created = limiter(name, limit, sharing);
    opened.push(created);
    return created;
  };
  const limiters = {
    failures: open('failures', settings.failures),
    address: open('address', settings.address),
    client: open('client', settings.client),
    apiKey: open('api-key', settings.apiKey),
    organisation: open('organisation', settings.organisation),
    events: open('events', settings.events),
    changes: open('changes', settings.changes),
  };
  onStop(() => {
    for (const { stop } of opened) stop();
  });
  const quota = watchTrouble(log, 'counting the listeners of organisations');
  return {
    limits: requestLimits(limiters),
    onQuotaTrouble(error) {
      if (error === undefined) {
        quota.over();
        return;
      }
      countTrouble('listener-quota');
      quota.met(error);
    },
  };
}

function sharingOf(counts: RateCounts, log: Logger, onTrouble: () => void): Sharing {
  const trouble = watchTrouble(log, 'sharing the counts of rate limits');
  return {
    counts,
    onFailure(error) {
      onTrouble();
      return trouble.met(error);
    },
    onSuccess: trouble.over,
  };
}
