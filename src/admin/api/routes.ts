import type { OperatorSubject } from '../../http/api-description/texts.js';
import type { AnyAdminRoute, BoundRoute } from './routing/admin-route.js';

/** Loaded by subject: a command of the command line needs one, and all of them take a quarter of a second. */
const subjects = {
  'integration tasks': async () => [(await import('./organisations.js')).taskRoutes],
  async listeners() {
    const { listenerChangeRoutes, listenerRoutes } = await import('./listeners.js');
    const { trialRoutes } = await import('./try-subscription.js');
    return [listenerRoutes, listenerChangeRoutes, trialRoutes];
  },
  operations: async () => [(await import('./operations.js')).operationRoutes],
  organisations: async () => [(await import('./organisations.js')).organisationRoutes],
  portal: async () => [(await import('./organisations.js')).portalRoutes],
  deliveries: async () => [(await import('./deliveries.js')).deliveryRoutes],
  'set-aside events': async () => [(await import('./deliveries.js')).setAsideRoutes],
  'flow events': async () => [(await import('./flow-events.js')).flowEventRoutes],
  feed: async () => [(await import('./feed.js')).feedRoutes],
  'event types': async () => [(await import('./event-types.js')).eventTypeRoutes],
  activity: async () => [(await import('./service.js')).activityRoutes],
  keys: async () => [(await import('./service.js')).keyRoutes],
  replays: async () => [(await import('./replays.js')).replayRoutes],
  sessions: async () => [(await import('./sessions.js')).sessionRoutes],
  consents: async () => [(await import('./sessions.js')).consentRoutes],
  audit: async () => [(await import('./audit.js')).auditRoutes],
  'API keys': async () => [(await import('./credentials.js')).apiKeyRoutes],
  clients: async () => [(await import('./credentials.js')).clientRoutes],
  views: async () => [(await import('./views.js')).viewRoutes],
} as const satisfies Readonly<
  Record<OperatorSubject, () => Promise<readonly ((dependencies: never) => readonly BoundRoute[])[]>>
>;

type RoutesOf = Awaited<ReturnType<(typeof subjects)[OperatorSubject]>>[number];

export type RouteDependencies = RoutesOf extends (dependencies: infer All) => unknown ? All : never;

export async function routesOfSubject(
  subject: OperatorSubject,
  dependencies: RouteDependencies,
): Promise<readonly BoundRoute[]> {
  const routesOf: readonly RoutesOf[] = await subjects[subject]();
  return routesOf.flatMap((routes) => routes(dependencies));
}

export async function adminRoutes(dependencies: RouteDependencies): Promise<readonly BoundRoute[]> {
  const { adminContracts } = await import('./all-routes.js');
  const all = Object.keys(subjects) as OperatorSubject[];
  const routes = (await Promise.all(all.map((subject) => routesOfSubject(subject, dependencies)))).flat();
  requireAll(routes, adminContracts);
  return routes;
}

/** The API description lists the declared routes: each needs a handler, and each handler a declaration. */
function requireAll(routes: readonly BoundRoute[], declared: readonly AnyAdminRoute[]): void {
  const bound = new Set(routes.map(({ contract }) => contract));
  const wrong = [
    ...declared.filter((contract) => !bound.has(contract)),
    ...routes.map(({ contract }) => contract).filter((contract) => !declared.includes(contract)),
  ];
  if (wrong.length > 0 || bound.size !== routes.length)
    throw new Error(`declared and bound routes differ: ${wrong.map(({ method, path }) => `${method} ${path}`)}`);
}
