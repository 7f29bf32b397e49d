import { expect } from 'chai';
import { type AdminRole, adminRoles } from '../../../src/access/admin-keys.js';
import { adminContracts } from '../../../src/admin/api/all-routes.js';
import { requireAccess } from '../../../src/admin/api/routing/admin-route.js';
import { type ApiKeyScope, apiKeyScopes } from '../../../src/events/api-key-events.js';
import { Forbidden, InsufficientScope } from '../../../src/http/errors.js';

const withKey = (orgId: string | null, ...scopes: ApiKeyScope[]) => ({
  actor: 'api-key:1',
  apiKey: { apiKeyId: '1', orgId, scopes },
});

const nameOf = ({ method, path }: { method: string; path: string }) =>
  `${method.toUpperCase()} ${path.replace('/admin/api', '')}`;

function accessOf(name: string) {
  const route = adminContracts.find((contract) => nameOf(contract) === name);
  if (!route) throw new Error(`there is no route ${name}`);
  return route.access;
}

describe('access to the routes of operators', () => {
  describe('with an admin key', () => {
    const needed: readonly (readonly [route: string, role: AdminRole])[] = [
      ['GET /api-keys', 'viewer'],
      ['GET /deliveries/:id', 'viewer'],
      ['POST /audit/history', 'viewer'],
      ['POST /flows/:eventId/explain', 'viewer'],
      ['POST /listeners/:listenerId/pause', 'operator'],
      ['POST /views/:name/rebuild', 'operator'],
      ['POST /organisations/settings', 'operator'],
      ['POST /organisations/erase', 'owner'],
      ['POST /api-keys', 'owner'],
      ['POST /api-keys/:id/revoke', 'owner'],
      ['POST /clients/:clientId/remove', 'owner'],
    ];

    for (const [route, role] of needed) {
      it(`needs the role ${role} for ${route}, which a refusal names`, () => {
        for (const has of adminRoles) {
          const access = () => requireAccess({ actor: 'admin:ops', role: has, orgId: null }, accessOf(route));
          if (adminRoles.indexOf(has) >= adminRoles.indexOf(role)) access();
          else expect(access, has).to.throw(Forbidden, `role ${role}`);
        }
      });
    }

    it('needs the role owner for each change of keys and clients, which could give rights that the caller lacks', () => {
      const changes = adminContracts.filter(
        ({ method, path }) => method !== 'get' && /\/(api-keys|clients|keys)/.test(path),
      );
      expect(changes).to.have.length.above(5);
      for (const contract of changes) expect(contract.access.role, nameOf(contract)).to.equal('owner');
    });
  });

  describe('with an API key', () => {
    const allowed: readonly (readonly [route: string, scope: ApiKeyScope])[] = [
      ['GET /listeners', 'listeners:read'],
      ['GET /deliveries', 'deliveries:read'],
      ['GET /deliveries/:id', 'deliveries:read'],
      ['GET /flows', 'flows:read'],
      ['GET /flows/:eventId', 'flows:read'],
      ['POST /flows/:eventId/explain', 'flows:read'],
      ['GET /api/events', 'flows:read'],
      ['POST /listeners/try', 'flows:read'],
    ];

    for (const [route, scope] of allowed) {
      it(`is given to ${route} with the scope ${scope} alone`, () => {
        const access = accessOf(route);
        requireAccess(withKey('acme', scope), access);
        requireAccess(withKey(null, scope), access);
        const others = apiKeyScopes.filter((each) => each !== scope);
        expect(() => requireAccess(withKey('acme', ...others), access)).to.throw(InsufficientScope, scope);
      });
    }

    it('is refused on every other route, with any scopes', () => {
      const all = withKey(null, ...apiKeyScopes);
      const others = adminContracts.filter((contract) => !allowed.some(([name]) => name === nameOf(contract)));
      expect(others).to.have.length.above(30);
      for (const contract of others)
        expect(() => requireAccess(all, contract.access), nameOf(contract)).to.throw(Forbidden, /admin key/);
    });
  });
});
