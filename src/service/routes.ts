import { access } from '../access/access.js';
import type { ServiceKeys } from '../access/keys/service-keys.js';
import type { DeliveryQueue } from '../deliveries/queue/delivery-queue.js';
import { guardedFetch } from '../deliveries/target-guard/guarded-fetch.js';
import type { TargetGuard } from '../deliveries/target-guard/target-guard.js';
import { flows } from '../flows/flows.js';
import type { Routes } from '../http/context.js';
import { operations } from '../operations/operations.js';
import type { OnRemoved } from '../registrations/listeners/operate-listener.js';
import type { UnsubscribeBarrier } from '../registrations/listeners/unsubscribe-barrier.js';
import { registrations } from '../registrations/registrations.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { Follower } from '../stores/read-model/follower.js';
import type { ReadModel } from '../stores/read-model/read-model.js';
import type { BackgroundRebuilds } from '../stores/read-model/rebuilding/background-rebuilds.js';
import type { Config } from './config/config.js';

export type RoutesDependencies = {
  readonly store: EventStore;
  readonly keys: ServiceKeys;
  readonly guard: TargetGuard;
  readonly barrier: UnsubscribeBarrier;
  readonly readModel: ReadModel;
  readonly queue: Omit<DeliveryQueue, 'close'>;
  readonly onRemoved: OnRemoved | undefined;
  /** One for each projection, in their order. */
  readonly followers: readonly Follower[];
  readonly rebuilds: BackgroundRebuilds;
  /** Utilisation of the dispatcher of this process: see `publishingPace`. 0 without a dispatcher. */
  readonly dispatcherLoad: () => number;
};

/** The routes of the modules. Throws `UnusableKeys` if a key file cannot be used. */
export async function routesOf(config: Config, dependencies: RoutesDependencies): Promise<readonly Routes[]> {
  const { keys, guard } = dependencies;
  const { identity, routes } = await access(config, { ...dependencies, fetch: guardedFetch(guard) });
  const common = { ...dependencies, identity, masterKeys: keys.masterKeys };
  return [
    ...routes,
    registrations(config, { ...common, checkTarget: guard.check }),
    flows(config, common),
    operations(common),
  ];
}
