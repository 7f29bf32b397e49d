import { type AdminRole, includesRole } from '../../access/admin-keys.js';
import type { ApiKeyGrant } from '../../access/api-key-grant.js';
import type { Administrator } from '../../access/identity/caller.js';
import type { ApiKeyScope } from '../../events/api-key-events.js';
import { Forbidden, InsufficientScope } from '../../http/errors.js';
import { InvalidRequest } from '../../kernel/domain-error.js';

// A route is its method, and its path after the prefix: `GET /deliveries/:id`.

/** Routes whose role does not follow from their method. These POSTs only read: a URL in the body must not be logged. */
const roles: Readonly<Record<string, AdminRole>> = {
  'POST /flows/:eventId/explain': 'viewer',
  'POST /audit/history': 'viewer',
  'POST /audit/as-of': 'viewer',
  'POST /organisations/erase': 'owner',
};

/** Changes of keys and clients: a caller who can make a key can give it rights that the caller lacks. */
const changesOfCredentials = /^(?!GET )\w+ \/(api-keys|clients|keys)(\/|$)/;

/** The routes that an API key may use, and the scope that it needs. Each names its organisation in the query's `orgId`. */
const scopes: Readonly<Record<string, ApiKeyScope>> = {
  'GET /listeners': 'hooks:read',
  'GET /deliveries': 'deliveries:read',
  'GET /deliveries/:id': 'deliveries:read',
};

/** The routes with a requirement of their own. */
export const declaredRoutes: readonly string[] = [...Object.keys(roles), ...Object.keys(scopes)];

export type AdminRequest = { readonly route: string; readonly query: Readonly<Record<string, unknown>> };

/**
 * Decides what the caller of an operators' route may do. Throws `Forbidden` and `InsufficientScope`; and `InvalidRequest` if
 * an API key of one organisation is used without naming that.
 */
export function requireAccess(caller: Administrator, request: AdminRequest): void {
  if (caller.apiKey) {
    requireGrant(caller.apiKey, request);
    return;
  }
  const needed = roleFor(request.route);
  if (!includesRole(caller.role, needed))
    throw new Forbidden(`this route requires an admin key with the role ${needed}`);
}

const roleFor = (route: string): AdminRole => {
  if (changesOfCredentials.test(route)) return 'owner';
  return roles[route] ?? (route.startsWith('GET ') ? 'viewer' : 'operator');
};

function requireGrant(apiKey: ApiKeyGrant, { route, query }: AdminRequest): void {
  const scope = scopes[route];
  if (scope === undefined) throw new Forbidden('this route requires an admin key, not an API key');
  if (!apiKey.scopes.includes(scope)) throw new InsufficientScope(scope);
  if (apiKey.orgId === null) return;
  if (query.orgId === undefined) throw new InvalidRequest('orgId is required');
  if (query.orgId !== apiKey.orgId) throw new Forbidden('this API key is for another organisation');
}
