import type { RouteAnswer, RouteContract, RouteInput } from '../../../http/route-contract.js';
import type { DomainError } from '../../../kernel/domain-error.js';
import type { Cause } from '../../../stores/event-store/codec.js';
import type { AdminAccess } from './admin-route.js';
import type { Caller } from './caller.js';

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
