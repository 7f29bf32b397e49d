import type { Routes } from '../http/context.js';
import { healthRoutes, type PartStatus } from '../http/health.js';
import type { ObservedEventStore } from '../stores/event-store/observed-event-store.js';
import type { Follower } from '../views/follower.js';
import type { Dispatcher } from './dispatcher.js';
import { addProcessMetrics, type Metrics } from './metrics/metrics.js';
import { metricsRoutes } from './metrics/routes.js';
import { addHeadMetrics, addResubscriptionMetrics } from './metrics/store-metrics.js';
import { addViewMetrics } from './metrics/view-metrics.js';
import type { Stores } from './stores/stores.js';

type Observed = {
  metrics: Metrics;
  store: ObservedEventStore;
  stores: Pick<Stores, 'subscriptions'>;
  followers: readonly Follower[];
  /** Undefined if this instance delivers nothing. */
  dispatcher: Dispatcher | undefined;
  ready: () => readonly PartStatus[];
};

/** Metrics, health and readiness of this instance. */
export function observation(observed: Observed): readonly Routes[] {
  const { metrics, store, stores, followers, dispatcher, ready } = observed;
  addProcessMetrics(metrics);
  const head = metrics.reading('head', () => store.head());
  addHeadMetrics(metrics, head);
  addResubscriptionMetrics(metrics, () => stores.subscriptions().resubscriptions);
  addViewMetrics(metrics, followers, head);
  return [
    metricsRoutes([() => metrics.registry.getMetricsAsJSON(), ...(dispatcher ? [dispatcher.metrics] : [])]),
    healthRoutes(ready),
  ];
}
