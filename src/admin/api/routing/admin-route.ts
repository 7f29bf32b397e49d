import { z } from 'zod';
import { type AdminRole, includesRole } from '../../../access/admin-keys.js';
import type { ApiKeyGrant } from '../../../access/identity/caller.js';
import type { ApiKeyScope } from '../../../events/api-key-events.js';
import type { RequestOrigin } from '../../../http/context.js';
import { Forbidden, InsufficientScope } from '../../../http/errors.js';
import type { AnswerContract, RouteAnswer, RouteContract, RouteInput } from '../../../http/route-contract.js';
import type { DomainError } from '../../../kernel/domain-error.js';
import type { Cause } from '../../../stores/event-store/codec.js';

/** Permissions that a route of operators requires. */
export type AdminAccess = {
  readonly role: AdminRole;
  /** The scope with which an API key may use the route; undefined: none may. */
  readonly scope?: ApiKeyScope;
  /**
   * Limit of a caller with access to one organisation. `query`, `body`: the `orgId` there must be the caller's, and is
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
> = Pick<RouteContract, 'summary' | 'description' | 'bodyExample'> & {
  readonly params?: Params;
  readonly query?: Query;
  /** Of a POST. A missing body counts as `{}`. */
  readonly body?: Body;
  readonly answer: AnswerContract<Answer>;
  readonly errors?: RouteContract['errors'];
  readonly access: Access;
};

export const adminPrefix = '/admin/api';

/**
 * Declares the routes of a subject of the admin API; `path` begins after `/admin/api`. Unknown fields are refused in the query of a
 * GET and in the body of a POST: a misspelt filter must not be ignored.
 */
export const adminRoutesOf =
  (subject: RouteContract['subject']) =>
  <
    Answer extends z.ZodType,
    const Access extends AdminAccess,
    Params extends Shape = Nothing,
    Query extends Shape = Nothing,
    Body extends Shape = Nothing,
  >(
    method: 'get' | 'post',
    path: string,
    declaration: Declaration<Params, Query, Body, Answer, Access>,
  ): AdminRoute<Params, Query, Body, Answer, Access> => {
    const { params = {} as Params, query, body = {} as Body, errors = [], access, ...route } = declaration;
    requireSense({ path, access, query: query ?? {}, body });
    const reads = method === 'get';
    return {
      ...route,
      method,
      path: `${adminPrefix}${path}`,
      subject,
      params: z.strictObject(params),
      query: reads || query ? z.strictObject(query ?? ({} as Query)) : ignored,
      body: reads ? undefined : z.strictObject(body),
      errors,
      access,
    };
  };

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

/** A person with a role, or an API key. */
export type Caller = {
  /** Names the caller in the history: `admin:ops`. */
  readonly actor: string;
  /** The request on whose behalf it calls, for the events that it appends; undefined: a request ID is generated. */
  readonly request?: RequestOrigin | undefined;
} & (
  | {
      readonly role: AdminRole;
      /** The only organisation whose data the caller may read and change; null: every one. */
      readonly orgId: string | null;
      readonly apiKey?: undefined;
    }
  | { readonly apiKey: ApiKeyGrant }
);

/** The organisation that a route must hold this caller to; null: none. */
export const limitOf = (caller: Caller): string | null => (caller.apiKey ?? caller).orgId;

/** Decides, before the input is parsed, what a caller may do. Throws `Forbidden` and `InsufficientScope`. */
export function requireAccess(caller: Caller, access: AdminAccess): void {
  if (caller.apiKey) {
    const { scope } = access;
    if (scope === undefined) throw new Forbidden('this route requires an admin key, not an API key');
    if (!caller.apiKey.scopes.includes(scope)) throw new InsufficientScope(scope);
    return;
  }
  if (!includesRole(caller.role, access.role))
    throw new Forbidden(`this route requires an admin key with the role ${access.role}`);
  if (caller.orgId !== null && access.organisation === 'service')
    throw new Forbidden('this route is for the whole service, not for one organisation');
}

export type AnyAdminRoute = RouteContract<AdminAccess>;

/** `cause`: recorded in the events that the call appends. `now`: the time of the call. */
export type CallContext = { readonly cause: Cause; readonly now: Date; readonly caller: Caller };

/** Finds the organisation of a route's object, for callers who are limited to one organisation. */
export type Owner<Input> = {
  /** Null and undefined: no organisation, or no such object. It may also throw the error of a missing object. */
  readonly of: (input: Input) => Promise<string | null | undefined>;
  /** The error of a missing object, with the message that the handler gives it. */
  readonly missing: (input: Input) => DomainError;
};

/** A contract with its handler. */
export type BoundRoute = {
  readonly contract: AnyAdminRoute;
  readonly handler: (input: never, context: CallContext) => unknown;
  readonly owner: Owner<never> | undefined;
};

type Handler<Route extends AnyAdminRoute> = (
  input: RouteInput<Route>,
  context: CallContext,
) => Promise<RouteAnswer<Route>> | RouteAnswer<Route>;

/** Binds a contract to its handler; a route whose organisation is that of its object also needs to find the owner. */
export function handle<const Route extends AnyAdminRoute>(
  contract: Route,
  handler: Handler<Route>,
  ...[owner]: Route['access']['organisation'] extends 'of-object' ? [Owner<RouteInput<Route>>] : []
): BoundRoute {
  return { contract, handler, owner };
}
