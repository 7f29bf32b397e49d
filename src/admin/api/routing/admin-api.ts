import Router from '@koa/router';
import type { Administrator, Identity } from '../../../access/identity/caller.js';
import { hasBody, jsonValue } from '../../../http/body.js';
import type { Context, RequestState, Routes } from '../../../http/context.js';
import { type RouteAnswer, type RouteRequest, statusOf } from '../../../http/route-contract.js';
import type { Caller } from './caller.js';
import type { AnyAdminRoute, BoundRoute } from './handle.js';
import { perform } from './perform.js';

/** The admin API for other parts of this process. */
export type AdminApi = {
  /**
   * Calls a route with the validation and authorisation of a request. Throws the same domain errors. The input is as over HTTP: the
   * fields of a query are texts.
   */
  readonly call: <Route extends AnyAdminRoute>(
    route: Route,
    request: RouteRequest<Route>,
    caller: Caller,
  ) => Promise<RouteAnswer<Route>>;
};

export function adminApi(routes: readonly BoundRoute[]): AdminApi {
  const bound = new Map<AnyAdminRoute, BoundRoute>(routes.map((route) => [route.contract, route]));
  return {
    async call<Route extends AnyAdminRoute>(contract: Route, request: RouteRequest<Route>, caller: Caller) {
      const route = bound.get(contract);
      if (!route) throw new Error(`the route ${contract.method} ${contract.path} has no handler`);
      const { params = {}, query = {}, body = {} } = request as Partial<Record<'params' | 'query' | 'body', object>>;
      const sent = { params: { ...params }, query: { ...query }, body: () => body };
      return (await perform(route, sent, caller)) as RouteAnswer<Route>; // the handler's type says that it fits
    },
  };
}

/** Serves the routes over HTTP. A route that another one's path parameter would match comes before it. */
export function adminRouter(routes: readonly BoundRoute[], identity: Pick<Identity, 'administrator'>): Routes {
  const router: Routes = new Router<RequestState>({ sensitive: true });
  for (const route of routes) router[route.contract.method](route.contract.path, (ctx) => answer(route, identity, ctx));
  return router;
}

async function answer(
  route: BoundRoute,
  identity: Pick<Identity, 'administrator'>,
  ctx: Context & { readonly params: Readonly<Record<string, string>> },
): Promise<void> {
  ctx.set('Cache-Control', 'no-store');
  const caller = callerOf(await identity.administrator(ctx), ctx.state);
  const sent = { params: ctx.params, query: { ...ctx.query }, body: () => (hasBody(ctx) ? jsonValue(ctx) : {}) };
  const body = await perform(route, sent, caller);
  ctx.status = statusOf(route.contract.answer, body);
  ctx.body = body;
}

export const callerOf = (administrator: Administrator, request: RequestState): Caller =>
  administrator.apiKey ? { ...administrator, request } : { ...administrator, orgId: null, request };
