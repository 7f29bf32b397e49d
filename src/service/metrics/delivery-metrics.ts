import { Counter, Histogram } from 'prom-client';
import { failureClasses, localFailures } from '../../deliveries/posting/failure-class.js';
import { type FailingStep, failingSteps } from '../../listeners/commands/failing-listener.js';
import type { AttemptReport } from '../../queue/delivery-log.js';
import type { AttemptOutcome, LeasedDelivery } from '../../queue/leasing.js';
import { addCounter, beginAtZero, type Metrics } from './metrics.js';

/** The classes of attempts that fail. Answers with other statuses than these begin their series themselves. */
const classes = [...failureClasses, 'http_3xx', 'http_4xx', 'http_5xx', 'timeout', 'not_signed', 'transform'];
const failedOutcomes = ['failed', 'exhausted'] as const;
const minute = 60;
const hour = 60 * minute;

export function attemptMetrics(metrics: Metrics): (delivery: LeasedDelivery, outcome: AttemptOutcome) => void {
  const { registry } = metrics;
  const attempts = new Counter({
    name: 'flow_hooks_delivery_attempts_total',
    help: 'Attempts by outcome (succeeded, failed, exhausted) and by class of failure',
    labelNames: ['outcome', 'class'],
    registers: [registry],
  });
  const failed = failedOutcomes.flatMap((outcome) => classes.map((each) => ({ outcome, class: each })));
  beginAtZero(attempts, [{ outcome: 'succeeded', class: 'none' }, ...failed]);
  const durations = new Histogram({
    name: 'flow_hooks_delivery_attempt_duration_seconds',
    help: 'Duration of attempts, by outcome',
    labelNames: ['outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20],
    registers: [registry],
  });
  for (const outcome of ['succeeded', ...failedOutcomes]) durations.zero({ outcome });
  const latencies = new Histogram({
    name: 'flow_hooks_delivery_latency_seconds',
    help: 'From recording the flow event (replays, samples: from entering the queue) to success, all attempts included',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 5 * minute, hour, 6 * hour, 24 * hour, 72 * hour],
    registers: [registry],
  });
  const firstAttempts = new Histogram({
    name: 'flow_hooks_delivery_first_attempt_latency_seconds',
    help: 'From recording the flow event (replays, samples: from entering the queue) to the first attempt',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 5 * minute, hour],
    registers: [registry],
  });
  const addGivenBack = addCounter<string>(
    metrics,
    'flow_hooks_deliveries_released_total',
    'Attempts that failed on the side of this instance and used up no attempt of the schedule, by class of failure',
    'class',
    localFailures,
  );
  return (delivery, outcome) => {
    if (outcome.kind === 'released') {
      if (outcome.failure !== undefined) addGivenBack(outcome.failure);
      return;
    }
    const { kind, report } = outcome;
    const since = countedSince(delivery);
    if (delivery.attempt === 1) firstAttempts.observe(Math.max(0, report.startedAt - since) / 1_000);
    attempts.inc({ outcome: kind, class: classOf(report) });
    durations.observe({ outcome: kind }, report.durationMs / 1_000);
    if (kind === 'succeeded') {
      latencies.observe(Math.max(0, report.startedAt + report.durationMs - since) / 1_000);
    }
  };
}

/** A replay sends old events, and a sample is none: theirs starts when they enter the queue. */
const countedSince = ({ replay, recordedAt, enqueuedAt }: LeasedDelivery): number =>
  replay === undefined ? (recordedAt ?? enqueuedAt) : enqueuedAt;

/** `http_4xx`, or the class of failure; `none` if the attempt succeeded. */
const classOf = ({ error, status }: AttemptReport): string =>
  error === 'http_status' && status !== undefined ? `http_${Math.floor(status / 100)}xx` : (error ?? 'none');

type ListenerMetrics = {
  onBreaker: (to: 'open' | 'closed') => void;
  onNotice: (percent: FailingStep) => void;
};

export function listenerMetrics(metrics: Metrics): ListenerMetrics {
  const addNotice = addCounter(
    metrics,
    'flow_hooks_failing_listener_notices_total',
    'Listeners at which nothing succeeds, by how far they were on their way to be paused; 100: they have been',
    'percent',
    failingSteps.map(String),
  );
  return {
    onBreaker: addCounter(
      metrics,
      'flow_hooks_breaker_changes_total',
      'Circuit breakers of listeners that have opened (again after a failed probe, too) and closed',
      'to',
      ['open', 'closed'],
    ),
    onNotice: (percent) => addNotice(String(percent)),
  };
}
