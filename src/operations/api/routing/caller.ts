import { type AdminRole, includesRole } from '../../../access/admin-keys.js';
import type { ApiKeyGrant } from '../../../access/api-key-grant.js';
import type { ApiKeyScope } from '../../../events/api-key-events.js';
import type { RequestOrigin } from '../../../http/context.js';
import { Forbidden, InsufficientScope } from '../../../http/errors.js';
import { InvalidRequest } from '../../../kernel/domain-error.js';
import type { AdminAccess } from './admin-route.js';

/** The caller of a route of operators: a person with a role, or an API key. */
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

/** The organisation that a route must hold this caller to; null: none. An API key is held to its own by `requireAccess`. */
export const limitOf = (caller: Caller): string | null => (caller.apiKey ? null : caller.orgId);

/**
 * Decides, before the input is parsed, what a caller may do. `query`: as sent. Throws `Forbidden` and `InsufficientScope`; and
 * `InvalidRequest` if an API key of one organisation is used without naming that.
 */
export function requireAccess(caller: Caller, access: AdminAccess, query: Readonly<Record<string, unknown>>): void {
  if (caller.apiKey) {
    requireGrant(caller.apiKey, access.scope, query.orgId);
    return;
  }
  if (!includesRole(caller.role, access.role))
    throw new Forbidden(`this route requires an admin key with the role ${access.role}`);
  if (caller.orgId !== null && access.organisation === 'service')
    throw new Forbidden('this route is for the whole service, not for one organisation');
}

function requireGrant(apiKey: ApiKeyGrant, scope: ApiKeyScope | undefined, orgId: unknown): void {
  if (scope === undefined) throw new Forbidden('this route requires an admin key, not an API key');
  if (!apiKey.scopes.includes(scope)) throw new InsufficientScope(scope);
  if (apiKey.orgId === null) return;
  if (orgId === undefined) throw new InvalidRequest('orgId is required');
  if (orgId !== apiKey.orgId) throw new Forbidden('this API key is for another organisation');
}
