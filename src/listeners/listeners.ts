import type { Routes } from '../http/context.js';
import type { DocumentCounter } from '../views/read-model.js';
import { type Subscribe, type SubscribingDependencies, subscribing } from './commands/subscribe.js';
import { type ListenerQuota, listenerQuota } from './listener-quota.js';
import { type ListenerRoutesSources, listenerRoutes } from './routes.js';

export type ListenerSettings = {
  http: {
    /** Path of the routes of platforms, without a slash at the end. */
    hooksPrefix: string;
  };
  listeners: {
    /** The subscription types that are allowed; undefined: any. */
    subscriptionTypes: readonly string[] | undefined;
    /** Maximum number of listeners of an organisation; undefined: any. */
    maxListeners: number | undefined;
  };
};

export type ListenerDependencies = ListenerRoutesSources & {
  readModel: DocumentCounter;
  checkTarget: SubscribingDependencies['checkTarget'];
  /** See `listenerQuota`. */
  onQuotaFailure: (error: unknown) => void;
};

export type Listeners = { routes: Routes; subscribe: Subscribe; quota: ListenerQuota };

/** Subscribing and unsubscribing of listeners. */
export function listeners({ http, listeners }: ListenerSettings, dependencies: ListenerDependencies): Listeners {
  const quota = listenerQuota(listeners.maxListeners, { ...dependencies, onFailure: dependencies.onQuotaFailure });
  const { subscriptionTypes } = listeners;
  const subscribe = subscribing({ ...dependencies, subscriptionTypes, listenerQuota: quota });
  return { routes: listenerRoutes(http.hooksPrefix, { ...dependencies, subscribe }), subscribe, quota };
}
