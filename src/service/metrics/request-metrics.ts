import { Histogram } from 'prom-client';
import type { AnsweredRequest } from '../../http/app.js';
import type { Metrics } from './metrics.js';

/** Other methods share one series: a caller can send any word. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Measures requests by route, not by path: paths hold IDs. */
export function requestMetrics({ registry }: Metrics): (answered: AnsweredRequest) => void {
  const durations = new Histogram({
    name: 'flow_hooks_http_request_duration_seconds',
    help: 'Duration of requests by route, method and class of status',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  return ({ route, method, status, durationMs }) =>
    durations.observe(
      {
        route: route ?? 'none',
        method: methods.has(method) ? method : 'other',
        status: `${Math.floor(status / 100)}xx`,
      },
      durationMs / 1_000,
    );
}
