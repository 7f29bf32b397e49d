import type { Routes } from '../context.js';
import { isBelow } from '../later-routes.js';
import type { RouteDescription } from './route-description.js';

/** A route as a text: `GET /healthz`. */
export const nameOfRoute = ({ method, path }: { readonly method: string; readonly path: string }): string =>
  `${method.toUpperCase()} ${path}`;

/** All routes of the routers, as `nameOfRoute` names them. A route for `GET` answers `HEAD` too, which is not named. */
const routeNames = (routes: readonly Routes[]): readonly string[] =>
  routes.flatMap(({ stack }) =>
    stack.flatMap(({ methods, path }) =>
      methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${path}`),
    ),
  );

/**
 * The descriptions of the routes that exist, in their order. Throws if a route has none, unless its path begins with one of
 * `pages`: those are for people and no part of the API.
 */
export function describedRoutes(
  routes: readonly Routes[],
  descriptions: readonly RouteDescription[],
  pages: readonly string[],
): readonly RouteDescription[] {
  const existing = new Set(routeNames(routes));
  const described = new Set(descriptions.map(nameOfRoute));
  const missing = [...existing].filter(
    (name) => !described.has(name) && !isBelow(name.slice(name.indexOf(' ') + 1), pages),
  );
  if (missing.length > 0) throw new Error(`the API description lacks: ${missing.join(', ')}`);
  return descriptions.filter((description) => existing.has(nameOfRoute(description)));
}
