import { createHistogram } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { everyInterval } from '../../kernel/shared-interval.js';
import { version } from '../../kernel/version.js';

/** A value that gauges read from a store; undefined if reading fails or takes too long, and then they have no sample. */
export type StoreReading<Value> = () => Promise<Value | undefined>;

const defaultTimings = {
  /** Minimum interval between two readings, even if metrics are scraped more often. */
  freshMs: 1_000,
  /** Maximum time that a scrape waits: a store in trouble must not hide the other metrics. */
  timeoutMs: 2_000,
};

/** Reads a store when metrics are scraped. `onFailure` is called for each reading that failed or took too long. */
export function storeReading<Value>(
  read: () => Promise<Value>,
  onFailure: () => void,
  timings: Partial<typeof defaultTimings> = {},
): StoreReading<Value> {
  const { freshMs, timeoutMs } = { ...defaultTimings, ...timings };
  let last: { readonly at: number; readonly value: Promise<Value | undefined> } | undefined;

  function start(): Promise<Value | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the store takes too long')), timeoutMs);
    });
    return Promise.race([read(), tooLate])
      .catch(() => {
        onFailure(); // the parts that need the store log the error
        return undefined;
      })
      .finally(() => clearTimeout(timer));
  }

  return () => {
    const now = performance.now();
    if (!last || now - last.at >= freshMs) last = { at: now, value: start() };
    return last.value;
  };
}

/** Interval between samples: that of other checks of this thread, so that sampling costs no extra wake-up. */
const sampleMs = 250;

/**
 * Adds the event loop's lag in place of prom-client's metrics, under their names: by how much timers were late since the last
 * scrape. prom-client itself samples with a timer of 10 ms, which wakes an idle process up 100 times a second. Its lag at the
 * time of a scrape stays: it needs no timer.
 */
function addEventLoopLag(registry: Registry): void {
  const lags = createHistogram();
  let last = performance.now();
  everyInterval(sampleMs, () => {
    const now = performance.now();
    lags.record(Math.max(1, Math.round((now - last - sampleMs) * 1e6)));
    last = now;
  });
  const values = {
    min: () => lags.min,
    max: () => lags.max,
    mean: () => lags.mean,
    stddev: () => lags.stddev,
    p50: () => lags.percentile(50),
    p90: () => lags.percentile(90),
    p99: () => lags.percentile(99),
  };
  for (const [name, nanoseconds] of Object.entries(values)) {
    const metric = `nodejs_eventloop_lag_${name}_seconds`;
    registry.removeSingleMetric(metric);
    const gauge = new Gauge({
      name: metric,
      help: `Lag of the event loop since the last scrape, ${name}`,
      registers: [registry],
      collect: () => {
        if (lags.count > 0) gauge.set(nanoseconds() / 1e9);
        if (name === 'p99') lags.reset(); // the last of them
      },
    });
  }
}

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

/** Adds a gauge that is read when metrics are scraped; it has no sample while the value is undefined. */
export function addGauge(
  { registry }: Pick<Metrics, 'registry'>,
  name: string,
  help: string,
  read: () => Promise<bigint | number | undefined>,
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await read();
      if (value === undefined) this.remove();
      else this.set(Number(value));
    },
  });
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
