import type { Identity } from '../access/identity/caller.js';
import type { MasterKeys } from '../access/keys/master-keys.js';
import type { Routes } from '../http/context.js';
import type { RequestLimits } from '../http/limits/request-limits.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { ReadModel } from '../stores/read-model/read-model.js';
import { hookQuota } from './listeners/hook-quota.js';
import { listenerRoutes } from './listeners/routes.js';
import type { UnsubscribeBarrier } from './listeners/unsubscribe-barrier.js';

export type RegistrationSettings = {
  readonly http: {
    /** Path of the routes of platforms, without a slash at the end. */
    readonly hooksPrefix: string;
  };
  readonly listeners: {
    /** The subscription types that are allowed; undefined: any. */
    readonly subscriptionTypes: readonly string[] | undefined;
    /** Maximum number of hooks of an organisation; undefined: any. */
    readonly maxHooks: number | undefined;
  };
};

export type RegistrationDependencies = {
  readonly store: EventStore;
  readonly identity: Identity;
  readonly masterKeys: MasterKeys;
  readonly barrier: UnsubscribeBarrier;
  /** Rejects with `target_not_allowed` if deliveries to this URL are refused. */
  readonly checkTarget: (hookUrl: string) => Promise<void>;
  readonly limits: Pick<RequestLimits, 'arrival' | 'hookRequest'>;
  readonly readModel: Pick<ReadModel, 'count'>;
  /** See `hookQuota`. */
  readonly onQuotaTrouble: (error: unknown) => void;
};

/** Subscribing and unsubscribing of hooks. */
export const registrations = (
  { http, listeners }: RegistrationSettings,
  dependencies: RegistrationDependencies,
): Routes =>
  listenerRoutes({
    ...dependencies,
    prefix: http.hooksPrefix,
    subscriptionTypes: listeners.subscriptionTypes,
    hookQuota: hookQuota(listeners.maxHooks, { ...dependencies, onTrouble: dependencies.onQuotaTrouble }),
  });
