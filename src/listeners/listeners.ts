import type { Routes } from '../http/context.js';
import type { DocumentCounter } from '../views/read-model.js';
import { type Subscribe, type SubscribingDependencies, subscribing } from './commands/subscribe.js';
import { type ListenerQuota, listenerQuota } from './listener-quota.js';
import { type ListenerRoutesSources, listenerRoutes } from './routes.js';
import type { ListenerSettings } from './settings.js';

type RouteSettings = { http: { hooksPrefix: string }; listeners: ListenerSettings };

export type ListenerDependencies = ListenerRoutesSources & {
  readModel: DocumentCounter;
  checkTarget: SubscribingDependencies['checkTarget'];
  /** See `listenerQuota`. */
  onQuotaFailure: (error: unknown) => void;
};

export type Listeners = { routes: Routes; subscribe: Subscribe; quota: ListenerQuota };

/** Subscribing and unsubscribing of listeners. */
export function listeners({ http, listeners }: RouteSettings, dependencies: ListenerDependencies): Listeners {
  const quota = listenerQuota(listeners.maxListeners, { ...dependencies, onFailure: dependencies.onQuotaFailure });
  const { subscriptionTypes } = listeners;
  const subscribe = subscribing({ ...dependencies, subscriptionTypes, listenerQuota: quota });
  return { routes: listenerRoutes(http.hooksPrefix, { ...dependencies, subscribe }), subscribe, quota };
}
