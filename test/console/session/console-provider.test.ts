import { expect } from 'chai';
import { AuthorizationRefused } from '../../../src/access/errors.js';
import { operatorOf } from '../../../src/console/session/console-provider.js';

const settings = { claim: 'groups', roles: { readers: 'viewer', team: 'operator', boss: 'owner' } } as const;
const operator = (claims: object) => operatorOf({ sub: '42', ...claims }, settings);

describe('the operator of an ID token', () => {
  it('has the highest role of the groups in the claim, which is a text or a list', () => {
    expect(operator({ groups: 'readers' }).role).to.equal('viewer');
    expect(operator({ groups: ['readers', 'boss', 'team'] }).role).to.equal('owner');
    expect(operator({ groups: ['other', 'team', 7, null, {}] }).role).to.equal('operator');
  });

  it('has the role of a group at a path, such as that of the roles of Keycloak', () => {
    const nested = { ...settings, claim: 'realm_access.roles' };
    expect(operatorOf({ sub: '42', realm_access: { roles: ['other', 'team'] } }, nested).role).to.equal('operator');
  });

  it('is refused without a group that has a role', () => {
    for (const claims of [
      {},
      { groups: [] },
      { groups: ['other'] },
      { groups: { team: true } },
      { groups: 'toString' },
    ]) {
      expect(() => operator(claims), JSON.stringify(claims))
        .to.throw(AuthorizationRefused, 'this account has no role in the console')
        .with.property('code', 'access_denied');
    }
  });

  it('is recorded by the e-mail address if the provider says true of its verification, else by sub', () => {
    const named = (claims: object) => operator({ groups: 'team', ...claims }).actor;
    expect(named({ email: 'ada@example.com', email_verified: true })).to.equal('console:ada@example.com');
    for (const verified of [false, undefined, null, 'true', 1]) {
      const claims = { email: 'boss@example.com', email_verified: verified };
      expect(named(claims), String(verified)).to.equal('console:42');
    }
    expect(named({ email: 'a\nb', email_verified: true })).to.equal('console:42');
    expect(named({})).to.equal('console:42');
  });
});
