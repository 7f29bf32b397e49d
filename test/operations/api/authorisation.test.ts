import { expect } from 'chai';
import { type AdminRole, adminRoles } from '../../../src/access/admin-keys.js';
import type { ApiKeyScope } from '../../../src/events/api-key-events.js';
import { Forbidden, InsufficientScope } from '../../../src/http/errors.js';
import { InvalidRequest } from '../../../src/kernel/domain-error.js';
import { requireAccess } from '../../../src/operations/api/authorisation.js';

const withKey = (orgId: string | null, ...scopes: ApiKeyScope[]) => ({
  actor: 'api-key:1',
  apiKey: { apiKeyId: '1', orgId, scopes },
});

describe('access to the routes of operators', () => {
  describe('with an admin key', () => {
    const needed: readonly (readonly [route: string, role: AdminRole])[] = [
      ['GET /api-keys', 'viewer'],
      ['GET /deliveries/:id', 'viewer'],
      ['POST /audit/history', 'viewer'],
      ['POST /flows/:eventId/explain', 'viewer'],
      ['POST /listeners/:listenerId/pause', 'operator'],
      ['POST /projections/:name/rebuild', 'operator'],
      ['POST /organisations/settings', 'operator'],
      ['POST /organisations/erase', 'owner'],
      ['POST /api-keys', 'owner'],
      ['POST /api-keys/:id/revoke', 'owner'],
      ['DELETE /clients/:id', 'owner'],
      ['POST /keys/rotate', 'owner'],
    ];

    for (const [route, role] of needed) {
      it(`needs the role ${role} for ${route}, which a refusal names`, () => {
        for (const has of adminRoles) {
          const access = () => requireAccess({ actor: 'admin:ops', role: has }, { route, query: {} });
          if (adminRoles.indexOf(has) >= adminRoles.indexOf(role)) access();
          else expect(access, has).to.throw(Forbidden, `role ${role}`);
        }
      });
    }
  });

  describe('with an API key', () => {
    const allowed: readonly (readonly [route: string, scope: ApiKeyScope])[] = [
      ['GET /listeners', 'hooks:read'],
      ['GET /deliveries', 'deliveries:read'],
      ['GET /deliveries/:id', 'deliveries:read'],
    ];

    for (const [route, scope] of allowed) {
      it(`is given to ${route} with the scope ${scope} alone, for the key's organisation alone`, () => {
        const query = { orgId: 'acme' };
        requireAccess(withKey('acme', scope), { route, query });
        requireAccess(withKey(null, scope), { route, query });
        const others = (['flows:publish', 'hooks:read', 'hooks:write', 'deliveries:read'] as const).filter(
          (each) => each !== scope,
        );
        expect(() => requireAccess(withKey('acme', ...others), { route, query })).to.throw(InsufficientScope, scope);
        expect(() => requireAccess(withKey('other', scope), { route, query })).to.throw(Forbidden);
        expect(() => requireAccess(withKey('acme', scope), { route, query: {} })).to.throw(InvalidRequest);
        const both = { orgId: ['acme', 'other'] };
        expect(() => requireAccess(withKey('acme', scope), { route, query: both })).to.throw(Forbidden);
      });
    }

    it('is refused on every other route, whatever its scopes', () => {
      const all = withKey(null, 'flows:publish', 'hooks:read', 'hooks:write', 'deliveries:read');
      for (const route of ['POST /listeners/:listenerId/pause', 'GET /api-keys', 'POST /api-keys', 'GET undefined'])
        expect(() => requireAccess(all, { route, query: {} }), route).to.throw(Forbidden, /admin key/);
    });
  });
});
