import { Counter } from 'prom-client';
import { beginAtZero, type Metrics } from './metrics.js';

/** Why a limit was not applied as configured: counts could not be shared, or listeners not counted. */
type LimitTrouble = 'rate-counts' | 'listener-quota';

/** Counts the times at which a limit was not applied as configured, because its store failed. */
export function limitMetrics({ registry }: Metrics): (trouble: LimitTrouble) => void {
  const failures = new Counter({
    name: 'flow_hooks_limit_store_failures_total',
    help: 'Failures of the store of a limit: rate-counts, each instance counted by itself; listener-quota, the quota was not applied',
    labelNames: ['limit'],
    registers: [registry],
  });
  beginAtZero(failures, [{ limit: 'rate-counts' }, { limit: 'listener-quota' }]);
  return (limit) => failures.inc({ limit });
}
