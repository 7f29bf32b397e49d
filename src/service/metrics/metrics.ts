import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { version } from '../../kernel/version.js';

/** Undefined if reading fails or takes too long; gauges then have no sample. */
export type StoreReading<Value> = () => Promise<Value | undefined>;

const defaultTimings = {
  freshMs: 1_000,
  /** A failing store must not hide the other metrics. */
  timeoutMs: 2_000,
};

/** `onFailure` is called for each reading that failed or took too long. */
export function storeReading<Value>(
  read: () => Promise<Value>,
  onFailure: () => void,
  timings: Partial<typeof defaultTimings> = {},
): StoreReading<Value> {
  const { freshMs, timeoutMs } = { ...defaultTimings, ...timings };
  let last: { at: number; value: Promise<Value | undefined> } | undefined;

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

const sampleMs = 250;

/**
 * The event loop's lag since the last scrape, under prom-client's names. prom-client samples every 10 ms, which wakes
 * an idle process 100 times a second. Node records the interval between two samples.
 */
function addEventLoopLag(registry: Registry): void {
  const intervals = monitorEventLoopDelay({ resolution: sampleMs });
  intervals.enable();
  const lag = (interval: number) => Math.max(0, interval - sampleMs * 1e6);
  const values = {
    min: () => lag(intervals.min),
    max: () => lag(intervals.max),
    mean: () => lag(intervals.mean),
    stddev: () => intervals.stddev,
    p50: () => lag(intervals.percentile(50)),
    p90: () => lag(intervals.percentile(90)),
    p99: () => lag(intervals.percentile(99)),
  };
  for (const [name, nanoseconds] of Object.entries(values)) {
    const metric = `nodejs_eventloop_lag_${name}_seconds`;
    registry.removeSingleMetric(metric);
    const gauge = new Gauge({
      name: metric,
      help: `Lag of the event loop since the last scrape, ${name}`,
      registers: [registry],
      collect: () => {
        if (intervals.count > 0) gauge.set(nanoseconds() / 1e9);
        if (name === 'p99') intervals.reset(); // the last of them
      },
    });
  }
}

/** Metrics of one thread; a scrape combines those of all threads. */
type MetricsRegistry = { registry: Registry };

export type Metrics = MetricsRegistry & {
  /** `name` identifies it in the count of failures. */
  reading: <Value>(name: string, read: () => Promise<Value>) => StoreReading<Value>;
};

export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Prometheus sees no increase in a series that begins at 1, so an alert would miss the first event. */
export function beginAtZero<Label extends string>(
  counter: Counter<Label>,
  series: readonly Readonly<Partial<Record<Label, string>>>[],
): void {
  for (const labels of series) counter.inc(labels, 0);
}

/** Adds a counter of events of which only one property is counted. */
export function addCounter<Value extends string>(
  { registry }: MetricsRegistry,
  name: string,
  help: string,
  label: string,
  values: readonly Value[],
): (value: Value, count?: number) => void {
  const counter = new Counter({ name, help, labelNames: [label], registers: [registry] });
  beginAtZero(
    counter,
    values.map((value) => ({ [label]: value })),
  );
  return (value, count) => counter.inc({ [label]: value }, count);
}

/** No sample while the value is undefined. */
export function addGauge(
  { registry }: MetricsRegistry,
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

/** The maximum of a timer: 25 days. */
const never = 2 ** 31 - 1;

/** Gauges with the suffix of counters; each is the sum of the metric by type without `_total`. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Adds metrics of the process: call it once. */
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
