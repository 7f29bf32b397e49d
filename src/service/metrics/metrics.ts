import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { version } from '../../kernel/version.js';
import { addEventLoopLag } from './event-loop-lag.js';
import { type StoreReading, storeReading } from './store-reading.js';

/** The metrics of one thread. A scrape combines those of all threads. */
export type Metrics = {
  readonly registry: Registry;
  /** A reading of a store, for gauges; `name` identifies it in the count of failures. */
  readonly reading: <Value>(name: string, read: () => Promise<Value>) => StoreReading<Value>;
};

/** The metrics of a thread, in the form in which it sends them to another. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/**
 * Begins series of a counter at 0, those that are known before their first event. Prometheus sees no increase in a series that
 * begins at 1, so an alert would miss the first event.
 */
export function beginAtZero<Label extends string>(
  counter: Counter<Label>,
  series: readonly Readonly<Partial<Record<Label, string>>>[],
): void {
  for (const labels of series) counter.inc(labels, 0);
}

export function openMetrics(): Metrics {
  const registry = new Registry();
  const failures = new Counter({
    name: 'flow_hooks_metrics_reading_failures_total',
    help: 'Readings of a store that failed, or took too long, when metrics were scraped',
    labelNames: ['reading'],
    registers: [registry],
  });
  return {
    registry,
    reading(name, read) {
      beginAtZero(failures, [{ reading: name }]);
      return storeReading(read, () => failures.inc({ reading: name }));
    },
  };
}

/** Maximum interval of a timer, in milliseconds: 25 days. */
const never = 2 ** 31 - 1;

/** Gauges of prom-client with the suffix of counters. Each is the sum of the metric by type, without `_total`. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Metrics of the whole process, under the usual names for Node.js. To be added once. */
export function addProcessMetrics({ registry }: Metrics): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: never });
  for (const name of misnamed) registry.removeSingleMetric(name);
  addEventLoopLag(registry);
  new Gauge({
    name: 'flow_hooks_build_info',
    help: 'The version that runs',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
}
