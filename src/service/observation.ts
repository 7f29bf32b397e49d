import type { Access } from '../access/access.js';
import type { Routes } from '../http/context.js';
import { healthRoutes } from '../http/health.js';
import type { WatchedEventStore } from '../stores/event-store/watched-event-store.js';
import type { Follower } from '../stores/read-model/follower.js';
import type { Dispatcher } from './dispatcher.js';
import { addHeadMetrics, addResubscriptionMetrics } from './metrics/event-store-metrics.js';
import { addProcessMetrics, type Metrics } from './metrics/metrics.js';
import { metricsRoutes } from './metrics/routes.js';
import { addViewMetrics } from './metrics/view-metrics.js';
import { readiness } from './readiness.js';
import type { Stores } from './stores/open-stores.js';

export type Observed = Pick<Access, 'keySets' | 'identityProviders'> & {
  readonly metrics: Metrics;
  readonly store: WatchedEventStore;
  readonly stores: Pick<Stores, 'eventsTrouble' | 'subscriptions'>;
  readonly followers: readonly Follower[];
  /** Undefined if this instance delivers nothing. */
  readonly dispatcher: Dispatcher | undefined;
};

/** Metrics, health and readiness of this instance. */
export function observation(observed: Observed): readonly Routes[] {
  const { metrics, store, stores, followers, dispatcher, keySets, identityProviders } = observed;
  addProcessMetrics(metrics);
  const head = metrics.reading('head', () => store.head());
  addHeadMetrics(metrics, head);
  addResubscriptionMetrics(metrics, () => stores.subscriptions().resubscriptions);
  addViewMetrics(metrics, followers, head);
  const ready = readiness({
    storeTrouble: () => stores.eventsTrouble() ?? store.trouble(),
    subscriptionsInTrouble: () => [
      ...stores.subscriptions().inTrouble,
      ...(dispatcher?.subscriptionsInTrouble() ?? []),
    ],
    followers,
    deliveries: dispatcher,
    keySets,
    identityProviders,
  });
  return [
    metricsRoutes([() => metrics.registry.getMetricsAsJSON(), ...(dispatcher ? [dispatcher.metrics] : [])]),
    healthRoutes(ready),
  ];
}
