import Router from '@koa/router';
import { AggregatorRegistry, Registry } from 'prom-client';
import type { RequestState, Routes } from '../../http/context.js';
import type { MetricsSnapshot } from './metrics.js';

/** `GET /metrics`: those of all threads of this instance, in the text format of Prometheus. */
export function metricsRoutes(snapshots: readonly (() => Promise<MetricsSnapshot>)[]): Routes {
  const router: Routes = new Router<RequestState>({ sensitive: true });
  router.get('/metrics', async (ctx) => {
    const all = await Promise.all(snapshots.map((snapshot) => snapshot()));
    ctx.type = Registry.PROMETHEUS_CONTENT_TYPE;
    ctx.body = await AggregatorRegistry.aggregate(all).metrics();
  });
  return router;
}
