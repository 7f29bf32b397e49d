import type { Administrator } from '../../access/identity/caller.js';
import type { ApiKeyScope } from '../../events/api-key-events.js';
import { Forbidden, InsufficientScope } from '../../http/errors.js';
import { InvalidRequest } from '../../kernel/domain-error.js';

/** The routes that an API key may use, and the scope that it needs. Each names its organisation in the query's `orgId`. */
const scopes: Readonly<Record<string, ApiKeyScope>> = {
  'GET /listeners': 'hooks:read',
  'GET /deliveries': 'deliveries:read',
  'GET /deliveries/:id': 'deliveries:read',
};

/** The routes with a requirement of their own: method, and path after the prefix. */
export const declaredRoutes: readonly string[] = Object.keys(scopes);

/** A request to a route, such as `GET /deliveries/:id`. */
export type AdminRequest = { readonly route: string; readonly query: Readonly<Record<string, unknown>> };

/**
 * Decides what the caller of an operators' route may do. Throws `Forbidden` and `InsufficientScope`; and `InvalidRequest` if
 * an API key of one organisation is used without naming that.
 */
export function requireAccess({ apiKey }: Administrator, { route, query }: AdminRequest): void {
  if (!apiKey) return;
  const scope = scopes[route];
  if (scope === undefined) throw new Forbidden('this route requires an admin key, not an API key');
  if (!apiKey.scopes.includes(scope)) throw new InsufficientScope(scope);
  if (apiKey.orgId === null) return;
  if (query.orgId === undefined) throw new InvalidRequest('orgId is required');
  if (query.orgId !== apiKey.orgId) throw new Forbidden('this API key is for another organisation');
}
