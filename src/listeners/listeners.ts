import type { Identity } from '../access/identity/caller.js';
import type { MasterKeys } from '../access/keys/master-keys.js';
import type { Routes } from '../http/context.js';
import type { RequestLimits } from '../http/limits/request-limits.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { ViewQueries } from '../stores/read-model/read-model.js';
import { listenerQuota } from './listener-quota.js';
import { listenerRoutes } from './routes.js';
import type { UnsubscribeBarrier } from './unsubscribe-barrier.js';

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

export type ListenerDependencies = {
  readonly store: EventStore;
  readonly identity: Identity;
  readonly masterKeys: MasterKeys;
  readonly barrier: UnsubscribeBarrier;
  /** Rejects with `target_not_allowed` if deliveries to this URL are refused. */
  readonly checkTarget: (hookUrl: string) => Promise<void>;
  readonly limits: Pick<RequestLimits, 'arrival' | 'listenerRequest'>;
  readonly readModel: Pick<ViewQueries, 'count'>;
  /** See `listenerQuota`. */
  readonly onQuotaTrouble: (error: unknown) => void;
};

/** Subscribing and unsubscribing of listeners. */
export const listeners = ({ http, listeners }: ListenerSettings, dependencies: ListenerDependencies): Routes =>
  listenerRoutes(
    { prefix: http.hooksPrefix, subscriptionTypes: listeners.subscriptionTypes },
    {
      ...dependencies,
      listenerQuota: listenerQuota(listeners.maxListeners, { ...dependencies, onTrouble: dependencies.onQuotaTrouble }),
    },
  );
