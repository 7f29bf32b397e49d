import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { isReserved, notReserved } from '../../../access/reserved-organisation.js';
import { causeOf } from '../../../http/context.js';
import { Forbidden } from '../../../http/errors.js';
import type { RouteAnswer, RouteInput, RouteRequest } from '../../../http/route-contract.js';
import { defined } from '../../../kernel/input/defined.js';
import { parseInput } from '../../../kernel/input/parse-input.js';
import { sentFields } from '../../../kernel/input/sent-fields.js';
import { type AnyAdminRoute, type BoundRoute, type Caller, limitOf, requireAccess } from './admin-route.js';
import { type CallLimits, noCallLimits } from './call-limits.js';

/** `body` throws if it could not be read. */
type SentInput = {
  params: Readonly<Record<string, unknown>>;
  query: Readonly<Record<string, unknown>>;
  body: () => unknown;
};

/** Throws `Forbidden`, `InsufficientScope`, `InvalidRequest`, the errors of the limits, and the handler's. */
export async function perform(
  route: BoundRoute,
  sent: SentInput,
  caller: Caller,
  limits: CallLimits,
): Promise<unknown> {
  requireAccess(caller, route.contract.access);
  return limits(route.contract, caller, () => answerOf(route, sent, caller));
}

async function answerOf(route: BoundRoute, sent: SentInput, caller: Caller): Promise<unknown> {
  const limit = limitOf(caller);
  // API keys must name their organisation.
  const isFilledIn = limit !== null && !caller.apiKey;
  const input = inputOf(route.contract, isFilledIn ? withOrganisation(sent, route.contract, limit) : sent);
  if (limit !== null || caller.apiKey) await requireOrganisation(route, input, limit);
  const origin = caller.request ?? { requestId: randomUUID(), traceparent: undefined };
  const cause = causeOf(origin, caller.actor);
  return route.handler(input as never, { cause, now: new Date(), caller }); // typed by `handle`
}

function inputOf({ params, query, body }: AnyAdminRoute, sent: SentInput): RouteInput<AnyAdminRoute> {
  return {
    query: parseInput(query, sent.query),
    body: body && parseInput(body, sent.body()),
    params: Object.fromEntries(
      // One by one, so that errors show no parameter names.
      Object.entries(params.shape).map(([name, schema]) => [name, parseInput(schema, sent.params[name])]),
    ),
  };
}

function withOrganisation(sent: SentInput, { access, query, body }: AnyAdminRoute, orgId: string): SentInput {
  const filledIn = (schema: z.ZodType, fields: unknown): Readonly<Record<string, unknown>> => ({
    orgId,
    ...defined(sentFields(schema, fields).sent as object), // as `fields`
  });
  if (access.organisation === 'query') return { ...sent, query: filledIn(query, sent.query) };
  if (access.organisation !== 'body' || !body) return sent;
  return {
    ...sent,
    body: () => {
      const fields = sent.body();
      return typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? filledIn(body, fields) : fields;
    },
  };
}

/**
 * Throws `Forbidden` if the input names another organisation, and the missing object's error for another's object. Without a
 * limit only the reserved organisation is another.
 */
async function requireOrganisation(
  { contract, owner }: BoundRoute,
  input: RouteInput<AnyAdminRoute>,
  limit: string | null,
): Promise<void> {
  const { organisation } = contract.access;
  if (organisation === 'query' || organisation === 'body') {
    const { orgId } = input[organisation] as { orgId?: string | null }; // required by `adminRoutesOf`
    if (limit !== null && orgId !== limit) throw new Forbidden('this access is limited to another organisation');
    notReserved(orgId);
    return;
  }
  if (!owner) throw new Error(`${contract.path} has no owner to compare`);
  const orgId = await owner.of(input as never); // typed by `handle`
  if ((limit !== null && orgId !== limit) || isReserved(orgId)) throw owner.missing(input as never);
}

export type AdminApi = {
  /** Validates and authorises as over HTTP; the fields of a query are texts. */
  call: <Route extends AnyAdminRoute>(
    route: Route,
    request: RouteRequest<Route>,
    caller: Caller,
  ) => Promise<RouteAnswer<Route>>;
};

/** `limits`: by default none, as for commands on the stores. */
export function adminApi(routes: readonly BoundRoute[], limits: CallLimits = noCallLimits): AdminApi {
  const bound = new Map<AnyAdminRoute, BoundRoute>(routes.map((route) => [route.contract, route]));
  return {
    async call<Route extends AnyAdminRoute>(contract: Route, request: RouteRequest<Route>, caller: Caller) {
      const route = bound.get(contract);
      if (!route) throw new Error(`the route ${contract.method} ${contract.path} has no handler`);
      const { params = {}, query = {}, body = {} } = request as Partial<Record<'params' | 'query' | 'body', object>>;
      const sent = { params: { ...params }, query: { ...query }, body: () => body };
      return (await perform(route, sent, caller, limits)) as RouteAnswer<Route>; // typed by `handle`
    },
  };
}
