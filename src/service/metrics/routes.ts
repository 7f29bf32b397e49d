import Router from '@koa/router';
import { AggregatorRegistry, Registry } from 'prom-client';
import { z } from 'zod';
import type { RequestState, Routes } from '../../http/context.js';
import { type Route, serve } from '../../http/route-contract.js';
import type { MetricsSnapshot } from './metrics.js';

/** `GET /metrics` of all threads, in the text format of Prometheus. */
export function metricsRoutes(snapshots: readonly (() => Promise<MetricsSnapshot>)[]): Routes {
  const router: Routes = new Router<RequestState>({ sensitive: true, strict: true });
  serve(router, metricsRoute, async (ctx) => {
    const all = await Promise.all(snapshots.map((snapshot) => snapshot()));
    ctx.type = Registry.PROMETHEUS_CONTENT_TYPE;
    ctx.body = await AggregatorRegistry.aggregate(all).metrics();
  });
  return router;
}

export const metricsRoute: Route = {
  name: 'showMetrics',
  method: 'get',
  path: '/metrics',
  tag: 'Monitoring',
  summary: 'Show the metrics of this instance',
  description: 'In the text format of Prometheus.',
  credentials: { anonymous: [] },
  answer: { description: 'The metrics.', type: 'text/plain', schema: z.string() },
  errors: ['too_many_requests', 'internal_error'],
  commonErrors: 'none',
};
