import { z } from 'zod';
import { type AdminRole, includesRole } from '../../../access/admin-keys.js';
import type { AdministratedMember, ApiKeyGrant } from '../../../access/identity/caller.js';
import type { ApiKeyScope } from '../../../events/api-key-events.js';
import type { ClientScope } from '../../../events/client-events.js';
import type { RequestOrigin } from '../../../http/context.js';
import { Forbidden, InsufficientScope } from '../../../http/errors.js';
import type { AnswerContract, RouteAnswer, RouteContract, RouteInput } from '../../../http/route-contract.js';
import type { DomainError } from '../../../kernel/domain-error.js';
import type { OpenQueue } from '../../../queue/delivery-queue.js';
import type { Cause } from '../../../stores/event-store/codec.js';
import type { EventStore } from '../../../stores/event-store/event-store.js';
import type { ReadModel } from '../../../views/read-model.js';

/** Actions that customers may take, where the settings of the portal permit it. */
export const customerActions = [
  'register',
  'pause',
  'options',
  'test',
  'rotate-secret',
  'unsubscribe',
  'replay',
  'redeliver',
  'publish',
] as const;

export type CustomerAction = (typeof customerActions)[number];

export type AdminAccess = {
  role: AdminRole;
  /** Undefined: customers change nothing by the route. */
  action?: CustomerAction;
  /** Undefined: no API key may use the route. */
  scope?: ApiKeyScope;
  /** Scope of access tokens that may use the route, for their organisation; undefined: none. */
  tokenScope?: ClientScope;
  /** Set for a route that may wait long, and limits its reads itself: credentials are checked again before the answer. */
  waits?: true;
  /**
   * Treatment of callers of one organisation. `query`, `body`: the `orgId` there must be theirs, and is filled in; `of-object`: another's
   * object is missing to them; `service`: refused.
   */
  organisation: 'query' | 'body' | 'of-object' | 'service';
};

type Shape = z.core.$ZodShape;
type Nothing = Record<never, never>;
type Strict<Fields extends Shape> = z.ZodObject<Fields, z.core.$strict>;

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
  params?: Params;
  query?: Query;
  /** Body of a POST; a missing one counts as `{}`. */
  body?: Body;
  answer: AnswerContract<Answer>;
  errors?: RouteContract['errors'];
  access: Access;
};

export const adminPrefix = '/admin/api';

/**
 * Declares the routes of a subject, which `declared` lists in their order. `path`: after `/admin/api`, unless it begins with `/api/`. Unknown
 * fields are refused: a misspelt filter must not be ignored.
 */
export function adminRoutesOf(subject: RouteContract['subject']) {
  const declared: AnyAdminRoute[] = [];

  function declare<
    Answer extends z.ZodType,
    const Access extends AdminAccess,
    Params extends Shape = Nothing,
    Query extends Shape = Nothing,
    Body extends Shape = Nothing,
  >(
    name: string,
    method: 'get' | 'post',
    path: string,
    declaration: Declaration<Params, Query, Body, Answer, Access>,
  ): AdminRoute<Params, Query, Body, Answer, Access> {
    const { params = {} as Params, query, body = {} as Body, errors = [], access, ...described } = declaration;
    const { role, scope, tokenScope } = access;
    requireSense({ path, access, query: query ?? {}, body });
    const reads = method === 'get';
    const route: AdminRoute<Params, Query, Body, Answer, Access> = {
      ...described,
      name,
      method,
      path: path.startsWith('/api/') ? path : `${adminPrefix}${path}`,
      subject,
      tag: `Operators: ${subject}`,
      credentials: {
        adminKey: [role],
        ...(scope !== undefined && { apiKey: [scope] }),
        ...(tokenScope !== undefined && { accessToken: [tokenScope] }),
      },
      params: z.strictObject(params),
      query: reads || query ? z.strictObject(query ?? ({} as Query)) : ignored,
      body: reads ? undefined : z.strictObject(body),
      errors,
      access,
    };
    declared.push(route as unknown as AnyAdminRoute); // any route is one
    return route;
  }

  return Object.assign(declare, { declared: declared as readonly AnyAdminRoute[] });
}

/** The query of a POST that declares none. */
const ignored = z.object({}) as unknown as Strict<never>; // its value is `{}`, as that of an empty strict object

function requireSense(route: { path: string; access: AdminAccess; query: Shape; body: Shape }): void {
  const { organisation, scope } = route.access;
  const named = { query: route.query, body: route.body };
  if ((organisation === 'query' || organisation === 'body') && !('orgId' in named[organisation]))
    throw new Error(`${route.path} has no orgId in its ${organisation}`);
  // Without it, an API key for every organisation would read the reserved one.
  if (scope !== undefined && isOptional(named[organisation as keyof typeof named]?.orgId))
    throw new Error(`${route.path} has a scope of API keys, and needs no orgId`);
  if (scope !== undefined && organisation === 'service')
    throw new Error(`${route.path} has a scope of API keys, which may be for one organisation`);
}

const isOptional = (field: z.core.$ZodType | undefined): boolean =>
  field !== undefined && z.safeParse(field, undefined).success;

export type Caller = {
  actor: string;
  request?: RequestOrigin;
  /** Aborted when the caller of a route that waits has gone. */
  gone?: AbortSignal;
} & (
  | {
      role: AdminRole;
      orgId: string | null;
      /** Actions of a customer; undefined: all. */
      actions?: readonly CustomerAction[];
      /** Set for the holder of an access token. */
      member?: AdministratedMember;
      apiKey?: undefined;
    }
  | { apiKey: ApiKeyGrant }
);

/** Null: every organisation. */
export const limitOf = (caller: Caller): string | null => (caller.apiKey ?? caller).orgId;

/** Throws `Forbidden` and `InsufficientScope`. */
export function requireAccess(caller: Caller, access: AdminAccess): void {
  if (caller.apiKey) {
    const { scope } = access;
    if (scope === undefined) throw new Forbidden('this route requires an admin key, not an API key');
    if (!caller.apiKey.scopes.includes(scope)) throw new InsufficientScope(scope);
    return;
  }
  if (!includesRole(caller.role, access.role))
    throw new Forbidden(`this route requires an admin key with the role ${access.role}`);
  if (access.role !== 'viewer' && caller.actions && !(access.action && caller.actions.includes(access.action)))
    throw new Forbidden('customers may not do this: it is left to the company');
  if (caller.orgId !== null && access.organisation === 'service')
    throw new Forbidden('this route is for the whole service, not for one organisation');
}

export type AnyAdminRoute = RouteContract<AdminAccess>;

export type CallContext = { cause: Cause; now: Date; caller: Caller };

export type Owner<Input> = {
  /** Null and undefined: no organisation, or no such object. May throw the error of a missing object. */
  of: (input: Input) => Promise<string | null | undefined>;
  missing: (input: Input) => DomainError;
};

/** Stores as the handlers of routes use them. */
export type RouteStores = {
  store: EventStore;
  readModel: ReadModel;
  queue: OpenQueue;
};

export type BoundRoute = {
  contract: AnyAdminRoute;
  handler: (input: never, context: CallContext) => unknown;
  owner: Owner<never> | undefined;
};

type Handler<Route extends AnyAdminRoute> = (
  input: RouteInput<Route>,
  context: CallContext,
) => Promise<RouteAnswer<Route>> | RouteAnswer<Route>;

/** `owner` is required for `of-object` routes. */
export function handle<const Route extends AnyAdminRoute>(
  contract: Route,
  handler: Handler<Route>,
  ...[owner]: Route['access']['organisation'] extends 'of-object' ? [Owner<RouteInput<Route>>] : []
): BoundRoute {
  return { contract, handler, owner };
}
