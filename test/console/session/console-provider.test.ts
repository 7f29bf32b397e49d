import { expect } from 'chai';
import { AuthorizationRefused } from '../../../src/access/errors.js';
import { roleOfSignIn } from '../../../src/access/providers/operator-sign-in.js';
import { operatorOf } from '../../../src/console/session/console-provider.js';

const settings = {
  issuer: 'https://idp.example',
  claim: 'groups',
  roles: { readers: 'viewer', team: 'operator', boss: 'owner' },
  signedInSince: undefined,
} as const;
const operator = (claims: object, changes: object = {}) =>
  operatorOf({ sub: '42', ...claims }, { ...settings, ...changes }, Date.now());
const roleWith = (claims: object, changes: object = {}) => roleOfSignIn(operator(claims, changes), settings);

describe('the operator of an ID token', () => {
  it('has the highest role of the groups in the claim, which is a text or a list', () => {
    expect(roleWith({ groups: 'readers' })).to.equal('viewer');
    expect(roleWith({ groups: ['readers', 'boss', 'team'] })).to.equal('owner');
    expect(roleWith({ groups: ['other', 'team', 7, null, {}] })).to.equal('operator');
  });

  it('has the role of a group at a path, such as that of the roles of Keycloak', () => {
    const claims = { realm_access: { roles: ['other', 'team'] } };
    expect(roleWith(claims, { claim: 'realm_access.roles' })).to.equal('operator');
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
