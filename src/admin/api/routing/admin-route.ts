import { z } from 'zod';
import type { AdminRole } from '../../../access/admin-keys.js';
import type { ApiKeyScope } from '../../../events/api-key-events.js';
import type { AnswerContract, RouteContract } from '../../../http/route-contract.js';

/** What a caller of a route of operators needs. */
export type AdminAccess = {
  readonly role: AdminRole;
  /** The scope with which an API key may use the route; undefined: none may. */
  readonly scope?: ApiKeyScope;
  /**
   * How a caller who is limited to one organisation is held to it. `query`, `body`: the `orgId` there must be the caller's, and is
   * filled in if it is missing. `of-object`: another organisation's object does not exist for the caller. `service`: refused,
   * because the route concerns the whole service.
   */
  readonly organisation: 'query' | 'body' | 'of-object' | 'service';
};

type Shape = z.core.$ZodShape;
type Nothing = Record<never, never>;
type Strict<Fields extends Shape> = z.ZodObject<Fields, z.core.$strict>;

/** A route under `/admin/api`. */
type AdminRoute<
  Params extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends Shape = Shape,
  Answer extends z.ZodType = z.ZodType,
  Access extends AdminAccess = AdminAccess,
> = RouteContract<Access, Strict<Params>, Strict<Query>, Strict<Body>, Answer>;

type Declaration<
  Params extends Shape,
  Query extends Shape,
  Body extends Shape,
  Answer extends z.ZodType,
  Access extends AdminAccess,
> = Omit<RouteContract, 'params' | 'query' | 'body' | 'answer' | 'access'> & {
  readonly params?: Params;
  readonly query?: Query;
  /** Of a POST. A missing body counts as `{}`. */
  readonly body?: Body;
  readonly answer: AnswerContract<Answer>;
  readonly access: Access;
};

export const adminPrefix = '/admin/api';

/**
 * Declares a route of the admin API; `path` begins after `/admin/api`. Unknown fields are refused in the query of a GET and in
 * the body of a POST: a misspelt filter must not be ignored.
 */
export function adminRoute<
  Answer extends z.ZodType,
  const Access extends AdminAccess,
  Params extends Shape = Nothing,
  Query extends Shape = Nothing,
  Body extends Shape = Nothing,
>(declaration: Declaration<Params, Query, Body, Answer, Access>): AdminRoute<Params, Query, Body, Answer, Access> {
  const { params = {} as Params, query, body = {} as Body, access, ...route } = declaration;
  requireSense({ ...route, access, query: query ?? {}, body });
  const reads = route.method === 'get';
  return {
    ...route,
    path: `${adminPrefix}${route.path}`,
    params: z.strictObject(params),
    query: reads || query ? z.strictObject(query ?? ({} as Query)) : ignored,
    body: reads ? undefined : z.strictObject(body),
    access,
  };
}

/** The query of a POST that declares none. */
const ignored = z.object({}) as unknown as Strict<never>; // its value is `{}`, as that of an empty strict object

/** Throws an error if the organisation's scope could not be enforced. */
function requireSense(route: {
  readonly path: string;
  readonly access: AdminAccess;
  readonly query: Shape;
  readonly body: Shape;
}): void {
  const { organisation, scope } = route.access;
  const named = { query: route.query, body: route.body };
  if ((organisation === 'query' || organisation === 'body') && !('orgId' in named[organisation]))
    throw new Error(`${route.path} has no orgId in its ${organisation}`);
  if (scope !== undefined && organisation === 'service')
    throw new Error(`${route.path} has a scope of API keys, which may be for one organisation`);
}
