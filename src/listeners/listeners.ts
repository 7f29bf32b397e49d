import type { Routes } from '../http/context.js';
import type { ViewQueries } from '../stores/read-model/read-model.js';
import { listenerQuota } from './listener-quota.js';
import { type ListenerRoutesDependencies, listenerRoutes } from './routes.js';
import { type Subscribe, type SubscribingDependencies, subscribing } from './subscribe.js';

export type ListenerSettings = {
  readonly http: {
    /** Path of the routes of platforms, without a slash at the end. */
    readonly hooksPrefix: string;
  };
  readonly listeners: {
    /** The subscription types that are allowed; undefined: any. */
    readonly subscriptionTypes: readonly string[] | undefined;
    /** Maximum number of listeners of an organisation; undefined: any. */
    readonly maxListeners: number | undefined;
  };
};

export type ListenerDependencies = Omit<ListenerRoutesDependencies, 'subscribe'> &
  Pick<SubscribingDependencies, 'checkTarget'> & {
    readonly readModel: Pick<ViewQueries, 'count' | 'find'>;
    /** See `listenerQuota`. */
    readonly onQuotaTrouble: (error: unknown) => void;
  };

export type Listeners = { readonly routes: Routes; readonly subscribe: Subscribe };

/** Subscribing and unsubscribing of listeners. */
export function listeners({ http, listeners }: ListenerSettings, dependencies: ListenerDependencies): Listeners {
  const quota = listenerQuota(listeners.maxListeners, { ...dependencies, onTrouble: dependencies.onQuotaTrouble });
  const { subscriptionTypes } = listeners;
  const subscribe = subscribing({ ...dependencies, subscriptionTypes, listenerQuota: quota });
  return { routes: listenerRoutes(http.hooksPrefix, { ...dependencies, subscribe }), subscribe };
}
