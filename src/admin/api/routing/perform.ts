import { randomUUID } from 'node:crypto';
import { causeOf } from '../../../http/context.js';
import { Forbidden } from '../../../http/errors.js';
import type { RouteInput } from '../../../http/route-contract.js';
import { parseInput } from '../../../kernel/input/parse-input.js';
import { type Caller, limitOf, requireAccess } from './caller.js';
import type { AnyAdminRoute, BoundRoute } from './handle.js';

/** Input as it was sent. `body` throws the error of a body that could not be read. */
type SentInput = {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: () => unknown;
};

/**
 * Performs a call, from HTTP or from this process: authorises the caller, parses the input, holds the caller to its organisation, and
 * runs the handler. Throws `Forbidden`, `InsufficientScope`, `InvalidRequest`, and the handler's errors.
 */
export async function perform(route: BoundRoute, sent: SentInput, caller: Caller): Promise<unknown> {
  const { access } = route.contract;
  requireAccess(caller, access);
  const limit = limitOf(caller);
  // As the API description says, requests with an API key name their organisation.
  const isFilledIn = limit !== null && !caller.apiKey;
  const input = inputOf(route.contract, isFilledIn ? withOrganisation(sent, access.organisation, limit) : sent);
  if (limit !== null) await requireOrganisation(route, input, limit);
  const origin = caller.request ?? { requestId: randomUUID(), traceparent: undefined };
  const cause = causeOf(origin, caller.actor);
  return route.handler(input as never, { cause, now: new Date(), caller }); // `handle` checked that it takes this input
}

function inputOf({ params, query, body }: AnyAdminRoute, sent: SentInput): RouteInput<AnyAdminRoute> {
  return {
    query: parseInput(query, sent.query),
    body: body && parseInput(body, sent.body()),
    params: Object.fromEntries(
      // One by one: the caller sees a path, without the names of its parameters.
      Object.entries(params.shape).map(([name, schema]) => [name, parseInput(schema, sent.params[name])]),
    ),
  };
}

/** Fills in the caller's organisation where none is named. */
function withOrganisation(sent: SentInput, place: string, orgId: string): SentInput {
  if (place === 'query') return { ...sent, query: { orgId, ...defined(sent.query) } };
  if (place !== 'body') return sent;
  return {
    ...sent,
    body: () => {
      const body = sent.body();
      return typeof body === 'object' && body !== null && !Array.isArray(body) ? { orgId, ...defined(body) } : body;
    },
  };
}

const defined = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Throws `Forbidden` if the input names another organisation, and the error of a missing object if it belongs to another one. */
async function requireOrganisation(
  { contract, owner }: BoundRoute,
  input: RouteInput<AnyAdminRoute>,
  limit: string,
): Promise<void> {
  const { organisation } = contract.access;
  if (organisation === 'query' || organisation === 'body') {
    const { orgId } = input[organisation] as { readonly orgId?: unknown }; // `adminRoute` required the field
    if (orgId !== limit) throw new Forbidden('this access is limited to another organisation');
    return;
  }
  if (!owner) throw new Error(`${contract.path} has no owner to compare`);
  if ((await owner.of(input as never)) !== limit) throw owner.missing(input as never); // `handle` checked its input
}
