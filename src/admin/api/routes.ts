import { type AuditRoutes, auditRoutes } from './audit.js';
import { type ApiKeyRoutes, apiKeyRoutes, type ClientRoutes, clientRoutes } from './credentials.js';
import { type DeliveryRoutes, deliveryRoutes, type SetAsideRoutes, setAsideRoutes } from './deliveries.js';
import { adminContracts } from './descriptions.js';
import { type EventTypeRoutes, eventTypeRoutes } from './event-types.js';
import { type FlowEventRoutes, flowEventRoutes } from './flow-events.js';
import { type ListenerChangeRoutes, type ListenerRoutes, listenerChangeRoutes, listenerRoutes } from './listeners.js';
import { type OrganisationRoutes, organisationRoutes, type TaskRoutes, taskRoutes } from './organisations.js';
import { type ProjectionRoutes, projectionRoutes } from './projections.js';
import { type ReplayRoutes, replayRoutes } from './replays.js';
import type { BoundRoute } from './routing/admin-route.js';
import { type ActivityRoutes, activityRoutes, type KeyRoutes, keyRoutes } from './service.js';
import { type ConsentRoutes, consentRoutes, type SessionRoutes, sessionRoutes } from './sessions.js';

type AdminRoutesDependencies = DeliveryRoutes &
  ListenerRoutes &
  ListenerChangeRoutes &
  OrganisationRoutes &
  FlowEventRoutes &
  EventTypeRoutes &
  ActivityRoutes &
  AuditRoutes &
  KeyRoutes &
  ApiKeyRoutes &
  ClientRoutes &
  ConsentRoutes &
  ProjectionRoutes &
  ReplayRoutes &
  SessionRoutes &
  SetAsideRoutes &
  TaskRoutes;

/** The operators' routes with their handlers. Each other file of this folder has the handlers of one subject. */
export function adminRoutes(dependencies: AdminRoutesDependencies): readonly BoundRoute[] {
  const routes = [
    taskRoutes(dependencies),
    listenerRoutes(dependencies),
    listenerChangeRoutes(dependencies),
    organisationRoutes(dependencies),
    deliveryRoutes(dependencies),
    flowEventRoutes(dependencies),
    eventTypeRoutes(dependencies),
    activityRoutes(dependencies),
    replayRoutes(dependencies),
    sessionRoutes(dependencies),
    setAsideRoutes(dependencies),
    auditRoutes(dependencies),
    keyRoutes(dependencies),
    apiKeyRoutes(dependencies),
    clientRoutes(dependencies),
    consentRoutes(dependencies),
    projectionRoutes(dependencies),
  ].flat();
  requireAll(routes);
  return routes;
}

/** Each declared route has one handler, and each handler's route is declared: the API description consists of the declared ones. */
function requireAll(routes: readonly BoundRoute[]): void {
  const bound = new Set(routes.map(({ contract }) => contract));
  const wrong = [
    ...adminContracts.filter((contract) => !bound.has(contract)),
    ...routes.map(({ contract }) => contract).filter((contract) => !adminContracts.includes(contract)),
  ];
  if (wrong.length > 0 || bound.size !== routes.length)
    throw new Error(`declared and bound routes differ: ${wrong.map(({ method, path }) => `${method} ${path}`)}`);
}
