import type { Logger } from 'pino';
import { access } from '../access/access.js';
import type { KeySetStatus } from '../access/keys/key-set-reports.js';
import type { ServiceKeys } from '../access/keys/service-keys.js';
import { flows } from '../flows/flows.js';
import type { Routes } from '../http/context.js';
import { operations } from '../operations/operations.js';
import { registrations } from '../registrations/registrations.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { ReadModel } from '../stores/read-model/read-model.js';
import type { Config } from './config/config.js';
import type { DeliveryPorts } from './delivery-ports.js';
import type { OpenedLimits } from './limits.js';
import type { Views } from './views.js';

export type RoutesDependencies = DeliveryPorts &
  Views &
  OpenedLimits & {
    readonly store: EventStore;
    readonly readModel: ReadModel;
    readonly keys: ServiceKeys;
    /** Utilisation of the dispatcher of this process: see `publishingPace`. 0 without a dispatcher. */
    readonly dispatcherLoad: () => number;
    readonly log: Logger;
  };

export type Api = { readonly routes: readonly Routes[]; readonly keySets: readonly KeySetStatus[] };

/** The routes of the modules. Throws `UnusableKeys` if a key file cannot be used. */
export async function routesOf(config: Config, dependencies: RoutesDependencies): Promise<Api> {
  const { keys, guard } = dependencies;
  const { identity, routes, keySets } = await access(config, dependencies);
  const common = { ...dependencies, identity, masterKeys: keys.masterKeys };
  return {
    routes: [
      ...routes,
      registrations(config, { ...common, checkTarget: guard.check }),
      flows(config, common),
      operations(common),
    ],
    keySets,
  };
}
