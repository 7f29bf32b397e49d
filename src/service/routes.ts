import type { Logger } from 'pino';
import { access, type Issuers } from '../access/access.js';
import { warnWithoutClients } from '../access/clients/operate-clients.js';
import type { ServiceKeys } from '../access/keys/service-keys.js';
import { portalAccess, portalPath } from '../access/portal/portal-access.js';
import { mcpPath } from '../access/protected-resource.js';
import type { OperatorSignIn } from '../access/providers/operator-sign-in.js';
import type { Provider } from '../access/providers/provider.js';
import { providerStatuses } from '../access/providers/provider-statuses.js';
import type { Admin } from '../admin/admin.js';
import type { Console } from '../console/console.js';
import type * as ConsoleProvider from '../console/session/console-provider.js';
import { latestFlowEvents } from '../deliveries/queries/latest-flow-events.js';
import { slowRequests, type Transformer, transformer } from '../deliveries/transforms/transformer.js';
import { flows } from '../flows/flows.js';
import type { TransformSample } from '../flows/samples/transform-samples.js';
import { type CheckPublished, publishingChecks } from '../flows/types/publishing-checks.js';
import { assetsPath } from '../http/assets.js';
import type { Routes } from '../http/context.js';
import type { PartStatus } from '../http/health.js';
import type { LaterRoutes } from '../http/later-routes.js';
import { listeners } from '../listeners/listeners.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { ReadModel } from '../views/read-model.js';
import type { Config } from './config/config.js';
import type { DeliveryPorts } from './delivery-ports.js';
import type { Dispatcher } from './dispatcher.js';
import { type OpenedLimits, openLimits } from './limits.js';
import { eventTypeMetrics, type MismatchCounts } from './metrics/event-type-metrics.js';
import type { Metrics } from './metrics/metrics.js';
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

export type Api = {
  routes: readonly Routes[];
  laterRoutes: readonly LaterRoutes[];
  /** The admin API, which is loaded with the first call of it. */
  operatorRoutes: () => Promise<readonly Routes[]>;
  ready: () => readonly PartStatus[];
  /** Ends the live updates of pages, which have no end of their own, and waits of the admin API. */
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

/** The routes of the modules. */
async function routesOf(config: Config, dependencies: ProcessParts & SharedChecks): Promise<Api> {
  const { store, readModel, keys, guard, queue, barrier, onRemoved, limits, transform, checkPublished } = dependencies;
  const { followers, rebuilds, verifications, dispatcher, serviceUrl, eventTypeMismatches, onQuotaFailure, log } =
    dependencies;
  const { identity, routes, ...issuers } = await access(config, {
    store,
    keys,
    limits,
    log,
    openGuardedConnector: async () =>
      (await import('../deliveries/target-guard/target-guard.js')).targetGuard(config.deliveries.targets).connect,
  });
  const { openid } = config.console;
  const provider = openid && (await openConsoleProvider(openid, { ...config, log }));
  const ready = dependencies.readinessWith({
    ...issuers,
    identityProviders: [...issuers.identityProviders, ...consoleStatuses(provider)],
  });
  const status = instanceStatus(config, { ready, followers, dispatcher, eventTypeMismatches });
  const { masterKeys } = keys;
  const portal = portalAccess({ masterKeys, store, now: () => new Date() });
  const common = { store, readModel, identity, limits };
  const transformSample: TransformSample = (request) => transform({ owner: 'samples', ...request });
  const registering = listeners(config, { ...common, masterKeys, barrier, checkTarget: guard.check, onQuotaFailure });
  const stopping = new AbortController();
  let opened: Promise<Admin> | undefined;
  const operating = (): Promise<Admin> => {
    opened ??= import('../admin/admin.js').then(({ admin }) =>
      admin(config, {
        store,
        readModel,
        views: { followers, rebuilds, verifications },
        queue,
        deliveries: { barrier, onRemoved, checkTarget: guard.check },
        access: { identity, keys, portalAccess: portal },
        limits,
        publishing: { transform, checkPublished, limits, subscribe: registering.subscribe },
        service: { instanceStatus: status, serviceUrl, log },
        stopping: stopping.signal,
      }),
    );
    return opened;
  };
  const operatorRoutes = async () => (await operating()).routes;
  const agentRoutes = async (): Promise<readonly Routes[]> => {
    const [{ mcpRoutes }, { agentWebhooks }, { api }] = await Promise.all([
      import('../mcp/mcp.js'),
      import('./agent-webhooks.js'),
      operating(),
    ]);
    const ports = { store, readModel, queue, guard, barrier, masterKeys, log, listenerQuota: registering.quota };
    const webhooks = agentWebhooks(config, ports, stopping.signal);
    return [mcpRoutes(config, { api, webhooks, identity, limits, stopping: stopping.signal })];
  };
  const webConsole = laterConsole(async () => {
    const { openConsole } = await import('../console/console.js');
    const { api, seals } = await operating();
    return openConsole(config, { store, keys, limits, portalAccess: portal, api, seals, provider, log });
  });
  return {
    routes: [
      ...routes,
      registering.routes,
      flows(config, {
        ...common,
        checkPublished,
        dispatcher,
        latestFlowEvents: latestFlowEvents({ store, queue }),
        transformSample,
      }),
    ],
    laterRoutes: [
      { paths: ['/admin/api', '/api/events'], load: operatorRoutes },
      ...webConsole.laterRoutes,
      ...(config.mcp.isOn ? [{ paths: [mcpPath], load: agentRoutes }] : []),
    ],
    operatorRoutes,
    ready,
    endStreams() {
      stopping.abort();
      webConsole.endStreams();
    },
  };
}

const openConsoleProvider: typeof ConsoleProvider.openConsoleProvider = async (...settings) =>
  (await import('../console/session/console-provider.js')).openConsoleProvider(...settings);

/** Operators' pages, and their live updates, which may be ended before the pages have been loaded. */
function laterConsole(open: () => Promise<Console>): Pick<Api, 'laterRoutes' | 'endStreams'> {
  let opened: Console | undefined;
  let isEnded = false;
  return {
    laterRoutes: [
      {
        paths: ['/console', portalPath, assetsPath],
        async load() {
          opened = await open();
          if (isEnded) opened.endStreams();
          return opened.routes;
        },
      },
    ],
    endStreams() {
      isEnded = true;
      opened?.endStreams();
    },
  };
}

/** Named apart from the providers of users, which may have the same issuer. */
const consoleStatuses = (provider: Provider<OperatorSignIn> | undefined) =>
  providerStatuses(provider ? [provider] : []).map((status) => ({ ...status, name: `${status.name} of the console` }));
