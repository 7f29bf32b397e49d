import { resolve } from 'node:path';
import { expect } from 'chai';
import { consoleSettings } from '../../../src/console/settings.js';
import { readSettings } from '../../../src/service/config/read-settings.js';

const valid = {
  issuer: 'https://idp.example.com',
  clientId: 'console',
  clientSecret: 'a-secret',
  claim: 'groups',
  roles: { team: 'operator' },
};
function readText(CONSOLE_OPENID: string) {
  const { values, problems } = readSettings(consoleSettings, { CONSOLE_OPENID });
  for (const problem of problems.values()) throw new Error(problem);
  return values.openid;
}
const read = (changes: object) => readText(JSON.stringify({ ...valid, ...changes }));

describe('CONSOLE_OPENID', () => {
  it('names a provider, a claim and the roles of its values', () => {
    expect(read({})).to.deep.equal({
      issuer: 'https://idp.example.com',
      clientId: 'console',
      clientSecret: 'a-secret',
      clientAuthentication: 'client_secret_post',
      scopes: ['openid', 'profile', 'email'],
      claim: 'groups',
      roles: { team: 'operator' },
    });
    expect(read({ signedInSince: '2026-01-01T08:00:00+01:00' })?.signedInSince).to.eql(
      new Date('2026-01-01T07:00:00Z'),
    );
    const fromFile = read({ clientSecret: undefined, clientSecretFile: 'secret.txt', prompt: 'login' });
    expect(fromFile).to.deep.include({ clientSecretFile: resolve('secret.txt'), prompt: 'login' });
  });

  const refused: readonly (readonly [what: string, changes: object, message: RegExp])[] = [
    ['an unknown field', { role: 'owner' }, /must be a JSON object \{"issuer"/],
    ['an unknown role', { roles: { team: 'admin' } }, /"viewer", "operator" or "owner"/],
    ['a time that is none', { signedInSince: 'today' }, /must be a JSON object/],
    ['no roles', { roles: {} }, /must name at least one value of the claim in roles/],
    ['no claim', { claim: '' }, /must be a JSON object/],
    ['two secrets', { clientSecretFile: 'x' }, /must have either clientSecret or clientSecretFile/],
    ['no secret', { clientSecret: undefined }, /must have either clientSecret or clientSecretFile/],
    ['scopes without openid', { scopes: ['email'] }, /must have the scope openid/],
    ['an issuer that is no URL', { issuer: 'idp' }, /must be an http or https URL/],
    ['an issuer with a query', { issuer: 'https://idp.example.com?a=1' }, /must have no query and no fragment/],
  ];
  for (const [what, changes, message] of refused) {
    it(`is refused with ${what}, in a message without the secret`, () => {
      expect(() => read(changes))
        .to.throw(message)
        .and.satisfy(({ message: text }: Error) => !text.includes('a-secret'));
    });
  }

  it('is refused if it is no JSON', () => {
    expect(() => readText('{')).to.throw(/must be a JSON object/);
  });
});
