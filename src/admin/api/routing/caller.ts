import { type AdminRole, includesRole } from '../../../access/admin-keys.js';
import type { ApiKeyGrant } from '../../../access/api-key-grant.js';
import type { RequestOrigin } from '../../../http/context.js';
import { Forbidden, InsufficientScope } from '../../../http/errors.js';
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
