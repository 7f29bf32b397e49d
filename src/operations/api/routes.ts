import Router from '@koa/router';
import type { Identity } from '../../access/identity/caller.js';
import { causeOf, type Routes, routeOf } from '../../http/context.js';
import { type ApiKeyRoutes, apiKeyRoutes } from './api-keys.js';
import { type AuditRoutes, auditRoutes } from './audit.js';
import { declaredRoutes, requireAccess } from './authorisation.js';
import { type ClientRoutes, clientRoutes } from './clients.js';
import { type ConsentRoutes, consentRoutes } from './consents.js';
import type { AdminContext, AdminRoutes, AdminState } from './context.js';
import { type DeliveryRoutes, deliveryRoutes } from './deliveries.js';
import { type ExplainRoutes, explainRoutes } from './explain.js';
import { adminKeyRoutes, type KeyRoutes } from './keys.js';
import { type ListenerChangeRoutes, listenerChangeRoutes } from './listener-changes.js';
import { type ListenerTestRoutes, listenerTestRoutes } from './listener-test.js';
import { type ListenerRoutes, listenerRoutes } from './listeners.js';
import { type OrganisationRoutes, organisationRoutes } from './organisations.js';
import { type ProjectionRoutes, projectionRoutes } from './projections.js';
import { type ReplayRoutes, replayRoutes } from './replays.js';
import { type SessionRoutes, sessionRoutes } from './sessions.js';
import { type SetAsideRoutes, setAsideRoutes } from './set-aside.js';
import { type StatsRoutes, statsRoutes } from './stats.js';
import { type TaskRoutes, taskRoutes } from './tasks.js';

export type AdminRoutesDependencies = { readonly identity: Pick<Identity, 'administrator'> } & DeliveryRoutes &
  ListenerRoutes &
  ListenerTestRoutes &
  ListenerChangeRoutes &
  OrganisationRoutes &
  ExplainRoutes &
  AuditRoutes &
  KeyRoutes &
  ApiKeyRoutes &
  ClientRoutes &
  ConsentRoutes &
  ProjectionRoutes &
  ReplayRoutes &
  SessionRoutes &
  SetAsideRoutes &
  StatsRoutes &
  TaskRoutes;

const prefix = '/admin/api';

/** `/admin/api/…`: the operators' routes. Each other file of this folder has the routes of one subject. */
export function adminRoutes(dependencies: AdminRoutesDependencies): Routes {
  const router: AdminRoutes = new Router<AdminState>({ prefix });
  router.use(requireAdministrator(dependencies.identity));
  for (const routes of [
    taskRoutes(dependencies),
    listenerRoutes(dependencies),
    listenerChangeRoutes(dependencies),
    listenerTestRoutes(dependencies),
    organisationRoutes(dependencies),
    deliveryRoutes(dependencies),
    explainRoutes(dependencies),
    replayRoutes(dependencies),
    statsRoutes(dependencies),
    sessionRoutes(dependencies),
    setAsideRoutes(dependencies),
    auditRoutes(dependencies),
    adminKeyRoutes(dependencies),
    apiKeyRoutes(dependencies),
    clientRoutes(dependencies),
    consentRoutes(dependencies),
    projectionRoutes(dependencies),
  ]) {
    router.use(routes.routes());
  }
  requireExistence(router);
  return router as unknown as Routes; // the first middleware adds the fields of `AdminState`
}

const requireAdministrator =
  (identity: Pick<Identity, 'administrator'>) =>
  async (ctx: AdminContext, next: () => Promise<unknown>): Promise<void> => {
    ctx.set('Cache-Control', 'no-store');
    const caller = await identity.administrator(ctx);
    const route = `${ctx.method === 'HEAD' ? 'GET' : ctx.method} ${routeOf(ctx)?.slice(prefix.length)}`;
    requireAccess(caller, { route, query: ctx.query });
    const { actor } = caller;
    ctx.state = Object.assign(ctx.state, { actor, cause: causeOf(ctx.state, actor) });
    await next();
  };

/** A requirement for a route that does not exist would protect nothing. */
function requireExistence(router: AdminRoutes): void {
  const existing = new Set(router.stack.flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`)));
  for (const route of declaredRoutes) {
    const [method, path] = route.split(' ');
    if (!existing.has(`${method} ${prefix}${path}`)) throw new Error(`there is no route ${route}`);
  }
}
