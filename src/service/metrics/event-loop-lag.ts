import { createHistogram } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';
import { everyInterval } from '../../kernel/shared-interval.js';

/** Interval between samples: that of other checks of this thread, so that sampling costs no wake-up of its own. */
const sampleMs = 250;

/**
 * Adds the event loop's lag in place of prom-client's metrics, under their names: by how much timers were late since the last
 * scrape. prom-client itself samples with a timer of 10 ms, which wakes an idle process up 100 times a second. Its lag at the
 * time of a scrape stays: it needs no timer.
 */
export function addEventLoopLag(registry: Registry): void {
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
