import { auditRoutes } from './audit.js';
import { apiKeyRoutes, clientRoutes } from './credentials.js';
import { deliveryRoutes, setAsideRoutes } from './deliveries.js';
import { adminContracts } from './descriptions.js';
import { eventTypeRoutes } from './event-types.js';
import { flowEventRoutes } from './flow-events.js';
import { listenerChangeRoutes, listenerRoutes } from './listeners.js';
import { operationRoutes } from './operations.js';
import { organisationRoutes, taskRoutes } from './organisations.js';
import { projectionRoutes } from './projections.js';
import { replayRoutes } from './replays.js';
import type { BoundRoute } from './routing/admin-route.js';
import { activityRoutes, keyRoutes } from './service.js';
import { consentRoutes, sessionRoutes } from './sessions.js';

const subjects = [
  taskRoutes,
  listenerRoutes,
  listenerChangeRoutes,
  operationRoutes,
  organisationRoutes,
  deliveryRoutes,
  flowEventRoutes,
  eventTypeRoutes,
  activityRoutes,
  replayRoutes,
  sessionRoutes,
  setAsideRoutes,
  auditRoutes,
  keyRoutes,
  apiKeyRoutes,
  clientRoutes,
  consentRoutes,
  projectionRoutes,
];

type Dependencies = (typeof subjects)[number] extends (dependencies: infer All) => unknown ? All : never;

export function adminRoutes(dependencies: Dependencies): readonly BoundRoute[] {
  const routes = subjects.flatMap((routesOf) => routesOf(dependencies));
  requireAll(routes);
  return routes;
}

/** The API description lists the declared routes: each needs a handler, and each handler a declaration. */
function requireAll(routes: readonly BoundRoute[]): void {
  const bound = new Set(routes.map(({ contract }) => contract));
  const wrong = [
    ...adminContracts.filter((contract) => !bound.has(contract)),
    ...routes.map(({ contract }) => contract).filter((contract) => !adminContracts.includes(contract)),
  ];
  if (wrong.length > 0 || bound.size !== routes.length)
    throw new Error(`declared and bound routes differ: ${wrong.map(({ method, path }) => `${method} ${path}`)}`);
}
