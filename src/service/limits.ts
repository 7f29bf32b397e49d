import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import { type Limiter, limiter, type Sharing } from '../http/limits/limiter.js';
import type { RateLimit } from '../http/limits/rate-limit.js';
import { type RequestLimits, requestLimits } from '../http/limits/request-limits.js';
import { watchTrouble } from '../kernel/trouble.js';
import type { RateCounts } from '../stores/rate-counts/rate-counts.js';
import type { LimitSettings } from './config/limits.js';
import { beginAtZero, type Metrics } from './metrics/metrics.js';
import type { OnStop } from './stores/stores.js';

/** Counts could not be shared, or listeners not counted. */
type LimitTrouble = 'rate-counts' | 'listener-quota';

function limitMetrics({ registry }: Metrics): (trouble: LimitTrouble) => void {
  const failures = new Counter({
    name: 'flow_hooks_limit_store_failures_total',
    help: 'Failures of the store of a limit: rate-counts, each instance counted by itself; listener-quota, the quota was not applied',
    labelNames: ['limit'],
    registers: [registry],
  });
  beginAtZero(failures, [{ limit: 'rate-counts' }, { limit: 'listener-quota' }]);
  return (limit) => failures.inc({ limit });
}

type LimitDependencies = {
  /** Undefined: there are no other instances. */
  readonly rateCounts: RateCounts | undefined;
  readonly metrics: Metrics;
  readonly log: Logger;
};

export type OpenedLimits = {
  readonly limits: RequestLimits;
  readonly onQuotaTrouble: (error: unknown) => void;
};

/** Failures of the limits' stores are counted, and logged once at their start and end. */
export function openLimits(settings: LimitSettings, dependencies: LimitDependencies, onStop: OnStop): OpenedLimits {
  const { rateCounts, metrics, log } = dependencies;
  const countTrouble = limitMetrics(metrics);
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
