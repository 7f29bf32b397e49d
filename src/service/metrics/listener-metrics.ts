import { Counter } from 'prom-client';
import { type FailingStep, failingSteps } from '../../listeners/failing/failing-policy.js';
import { beginAtZero, type Metrics } from './metrics.js';

/** Callbacks of `watchTroubledListeners`. */
type ListenerMetrics = {
  readonly onBreaker: (to: 'open' | 'closed') => void;
  readonly onNotice: (percent: FailingStep) => void;
};

export function listenerMetrics({ registry }: Metrics): ListenerMetrics {
  const breakers = new Counter({
    name: 'flow_hooks_breaker_changes_total',
    help: 'Circuit breakers of listeners that have opened (again after a failed probe, too) and closed',
    labelNames: ['to'],
    registers: [registry],
  });
  const notices = new Counter({
    name: 'flow_hooks_failing_listener_notices_total',
    help: 'Listeners at which nothing succeeds, by how far they were on their way to be paused; 100: they have been',
    labelNames: ['percent'],
    registers: [registry],
  });
  beginAtZero(breakers, [{ to: 'open' }, { to: 'closed' }]);
  beginAtZero(
    notices,
    failingSteps.map((percent) => ({ percent: String(percent) })),
  );
  return {
    onBreaker: (to) => breakers.inc({ to }),
    onNotice: (percent) => notices.inc({ percent }),
  };
}
