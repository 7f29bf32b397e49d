import type { Logger } from 'pino';
import { type Limiter, limiter, type Sharing } from '../http/limits/limiter.js';
import type { RateLimit } from '../http/limits/rate-limit.js';
import { type RequestLimits, requestLimits } from '../http/limits/request-limits.js';
import type { LimitSettings } from '../http/settings.js';
import { watchFailures } from '../kernel/failures.js';
import type { RateCounts } from '../stores/rate-counts/rate-counts.js';
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
  onQuotaFailure: (error: unknown) => void;
};

/** Failures of the limits' stores are counted, and logged once at their start and end. */
export function openLimits(settings: LimitSettings, dependencies: LimitDependencies, onStop: OnStop): OpenedLimits {
  const { rateCounts, metrics, log } = dependencies;
  const countFailure = addCounter(
    metrics,
    'flow_hooks_limit_store_failures_total',
    'Failures of the store of a limit: rate-counts, each instance counted by itself; listener-quota, the quota was not applied',
    'limit',
    ['rate-counts', 'listener-quota'],
  );
  const sharing = rateCounts && sharingOf(rateCounts, log, () => countFailure('rate-counts'));
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
  const quota = watchFailures(log, 'counting the listeners of organisations');
  return {
    limits: requestLimits(limiters),
    onQuotaFailure(error) {
      if (error === undefined) {
        quota.recovered();
        return;
      }
      countFailure('listener-quota');
      quota.record(error);
    },
  };
}

function sharingOf(counts: RateCounts, log: Logger, countFailure: () => void): Sharing {
  const failures = watchFailures(log, 'sharing the counts of rate limits');
  return {
    counts,
    onFailure(error) {
      countFailure();
      return failures.record(error);
    },
    onSuccess: failures.recovered,
  };
}
