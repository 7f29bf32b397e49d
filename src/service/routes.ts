import type { Logger } from 'pino';
import { type Access, access, type Issuers } from '../access/access.js';
import { warnWithoutClients } from '../access/clients/operate-clients.js';
import type { ServiceKeys } from '../access/keys/service-keys.js';
import { type PortalAccess, portalAccess } from '../access/portal/portal-access.js';
import { mcpPath } from '../access/protected-resource.js';
import type { Admin } from '../admin/admin.js';
import { latestFlowEvents } from '../deliveries/queries/latest-flow-events.js';
import { slowRequests, type Transformer, transformer } from '../deliveries/transforms/transformer.js';
import { flows } from '../flows/flows.js';
import { type CheckPublished, publishingChecks } from '../flows/types/publishing-checks.js';
import type { Routes } from '../http/context.js';
import type { PartStatus } from '../http/health.js';
import type { LaterRoutes } from '../http/later-routes.js';
import { type Listeners, listeners } from '../listeners/listeners.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { ReadModel } from '../views/read-model.js';
import type { Config } from './config/config.js';
import type { DeliveryPorts } from './delivery-ports.js';
import type { Dispatcher } from './dispatcher.js';
import { type OpenedLimits, openLimits } from './limits.js';
import { eventTypeMetrics, type MismatchCounts } from './metrics/event-type-metrics.js';
import type { Metrics } from './metrics/metrics.js';
import { consolePages, openOperatorProvider, operatorProviderStatuses } from './pages.js';
import { instanceStatus } from './status/instance-status.js';
import type { OnStop, Stores } from './stores/stores.js';
import type { Views } from './views.js';

/** Parts of the process that the routes use. */
type ProcessParts = DeliveryPorts &
  Views & {
    store: EventStore;
    readModel: ReadModel;
    keys: ServiceKeys;
    /** Base URL for browsers, without a slash at the end. */
    serviceUrl: () => string;
    /** Undefined if this instance delivers nothing. */
    dispatcher: Dispatcher | undefined;
    log: Logger;
    readinessWith: (issuers: Issuers) => Api['ready'];
  };

/** Limits, checks and counts that all routes share. */
type SharedChecks = OpenedLimits & {
  checkPublished: CheckPublished;
  eventTypeMismatches: MismatchCounts['list'];
  transform: Transformer['transform'];
};

type ModuleParts = ProcessParts & SharedChecks;

export type Api = {
  routes: readonly Routes[];
  laterRoutes: readonly LaterRoutes[];
  /** The admin API, which is loaded with the first call of it. */
  operatorRoutes: () => Promise<readonly Routes[]>;
  ready: () => readonly PartStatus[];
  /** Ends the live updates of pages, which would not end by themselves, and waits of the admin API. */
  endStreams: () => void;
};

type ApiDependencies = ProcessParts & { stores: { rateCounts: Stores['rateCounts'] }; metrics: Metrics };

/** The API of an instance with the role `api`; any other has none. Throws `UnusableKeys` if a key file cannot be used. */
export async function openApi(
  config: Config,
  { stores, metrics, ...dependencies }: ApiDependencies,
  onStop: OnStop,
): Promise<Api> {
  if (!config.roles.has('api')) {
    const ready = dependencies.readinessWith({ keySets: [], identityProviders: [] });
    return { routes: [], laterRoutes: [], operatorRoutes: async () => [], ready, endStreams: () => undefined };
  }
  const { store, keys, log } = dependencies;
  if (keys.adminKeys.size === 0) log.warn(noAdminKey);
  if (config.mode === 'production') await warnWithoutClients(store, log);
  const limits = openLimits(config.limits, { rateCounts: stores.rateCounts, metrics, log }, onStop);
  const { transform, stop } = transformer(undefined, slowRequests);
  onStop(stop);
  const mismatches = eventTypeMetrics(metrics, log);
  const stopping = new AbortController();
  onStop(() => stopping.abort());
  const checkPublished = publishingChecks(store, mismatches.count, { signal: stopping.signal, log });
  return routesOf(config, {
    ...dependencies,
    ...limits,
    checkPublished,
    eventTypeMismatches: mismatches.list,
    transform,
  });
}

const noAdminKey = 'no admin key is configured (ADMIN_KEYS): every request to the admin API is answered 401';

/** The routes of the modules. Those of operators, agents and pages are loaded with the first request to them. */
async function routesOf(config: Config, parts: ModuleParts): Promise<Api> {
  const { store, readModel, keys, guard, queue, barrier, limits, log } = parts;
  const { identity, routes, ...issuers } = await openAccess(config, parts);
  const provider = await openOperatorProvider(config, log);
  const identityProviders = [...issuers.identityProviders, ...operatorProviderStatuses(provider)];
  const ready = parts.readinessWith({ ...issuers, identityProviders });
  const stopping = new AbortController();

  const common = { store, readModel, identity, limits };
  const registering = listeners(config, {
    ...common,
    masterKeys: keys.masterKeys,
    barrier,
    checkTarget: guard.check,
    onQuotaFailure: parts.onQuotaFailure,
  });
  const publishing = flows(config, {
    ...common,
    checkPublished: parts.checkPublished,
    dispatcher: parts.dispatcher,
    latestFlowEvents: latestFlowEvents({ store, queue }),
    transformSample: (request) => parts.transform({ owner: 'samples', ...request }),
  });
  const portal = portalAccess({ masterKeys: keys.masterKeys, store, now: () => new Date() });
  const shared: SharedModules = { identity, ready, portal, registering, stopping: stopping.signal };
  let opened: Promise<Admin> | undefined;
  const admin = () => {
    opened ??= openAdmin(config, parts, shared);
    return opened;
  };
  const pages = consolePages(config, { store, keys, limits, portalAccess: portal, provider, log, admin });
  const operatorRoutes = async () => (await admin()).routes;
  return {
    routes: [...routes, registering.routes, publishing],
    laterRoutes: [
      { paths: ['/admin/api', '/api/events'], load: operatorRoutes },
      pages.routes,
      ...(config.mcp.isOn ? [agentRoutes(config, parts, { ...shared, admin })] : []),
    ],
    operatorRoutes,
    ready,
    endStreams() {
      stopping.abort();
      pages.endStreams();
    },
  };
}

/** Modules that the routes of operators and agents call. */
type SharedModules = {
  identity: Access['identity'];
  ready: Api['ready'];
  portal: PortalAccess;
  registering: Listeners;
  stopping: AbortSignal;
};

const openAccess = (config: Config, { store, keys, limits, log }: ModuleParts): Promise<Access> =>
  access(config, {
    store,
    keys,
    limits,
    log,
    async openGuardedConnector() {
      const { targetGuard } = await import('../deliveries/target-guard/target-guard.js');
      return targetGuard(config.deliveries.targets).connect;
    },
  });

async function openAdmin(
  config: Config,
  parts: ModuleParts,
  { identity, ready, portal, registering, stopping }: SharedModules,
): Promise<Admin> {
  const { store, readModel, keys, guard, queue, barrier, onRemoved, limits, transform, checkPublished } = parts;
  const { followers, rebuilds, verifications, dispatcher, serviceUrl, eventTypeMismatches, log } = parts;
  const { admin } = await import('../admin/admin.js');
  return admin(config, {
    store,
    readModel,
    views: { followers, rebuilds, verifications },
    queue,
    deliveries: { barrier, onRemoved, checkTarget: guard.check },
    access: { identity, keys, portalAccess: portal },
    limits,
    publishing: { transform, checkPublished, limits, subscribe: registering.subscribe },
    service: {
      instanceStatus: instanceStatus(config, { ready, followers, dispatcher, eventTypeMismatches }),
      serviceUrl,
      log,
    },
    stopping,
  });
}

const agentRoutes = (
  config: Config,
  parts: ModuleParts,
  { identity, registering, stopping, admin }: SharedModules & { admin: () => Promise<Admin> },
): LaterRoutes => ({
  paths: [mcpPath],
  async load() {
    const { openAgents } = await import('./agents.js');
    const { api } = await admin();
    return openAgents(config, { ...parts, identity, listenerQuota: registering.quota, api }, stopping);
  },
});
