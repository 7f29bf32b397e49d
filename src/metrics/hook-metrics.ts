import { Counter } from 'prom-client';
import type { TroubledHooksSettings } from '../deliveries/troubled-hooks.js';
import type { Metrics } from './metrics.js';

/** Counts what hooks that fail come to. */
export function hookMetrics({ registry }: Metrics): Required<Pick<TroubledHooksSettings, 'onBreaker' | 'onNotice'>> {
  const breakers = new Counter({
    name: 'flow_hooks_breaker_changes_total',
    help: 'Circuit breakers of hooks that have opened (again after a failed probe, too) and closed',
    labelNames: ['to'],
    registers: [registry],
  });
  const notices = new Counter({
    name: 'flow_hooks_failing_hook_notices_total',
    help: 'Hooks at which nothing succeeds, by how far they were on their way to be paused; 100: they have been',
    labelNames: ['percent'],
    registers: [registry],
  });
  return {
    onBreaker: (to) => breakers.inc({ to }),
    onNotice: (percent) => notices.inc({ percent }),
  };
}
