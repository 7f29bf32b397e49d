import { expect } from 'chai';
import { userOf } from '../../../src/access/providers/claims.js';
import { AuthorizationRefused } from '../../../src/access/providers/errors.js';

const byClaim = { userClaim: 'sub', organisations: { claim: 'orgs' } };

describe('the user that the claims of an ID token name', () => {
  const organisationsOf = (orgs: unknown) => userOf({ sub: 'ada', orgs }, byClaim).organisations;

  const forms: readonly (readonly [what: string, claim: unknown, organisations: readonly object[]])[] = [
    ['one organisation', 'acme', [{ id: 'acme', name: 'acme' }]],
    [
      'a list of organisations',
      ['a', 'b'],
      [
        { id: 'a', name: 'a' },
        { id: 'b', name: 'b' },
      ],
    ],
    [
      'organisations with names',
      [{ id: 'a', name: 'A' }, { id: 'b' }],
      [
        { id: 'a', name: 'A' },
        { id: 'b', name: 'b' },
      ],
    ],
    ['one organisation with a name', { id: 'a', name: 'A' }, [{ id: 'a', name: 'A' }]],
    ['an organisation twice', ['a', 'a'], [{ id: 'a', name: 'a' }]],
  ];
  for (const [what, claim, organisations] of forms) {
    it(`belongs to ${what}`, () => {
      expect(organisationsOf(claim)).to.deep.equal(organisations);
    });
  }

  it('belongs to the organisation of the provider, whatever the claims', () => {
    const settings = { userClaim: 'sub', organisations: { fixed: 'acme' } };
    expect(userOf({ sub: 'ada', orgs: ['b'] }, settings).organisations).to.deep.equal([{ id: 'acme', name: 'acme' }]);
  });

  it('is refused without an organisation', () => {
    for (const claim of [undefined, null, []]) {
      expect(() => organisationsOf(claim))
        .to.throw(AuthorizationRefused)
        .with.property('code', 'access_denied');
    }
  });

  it('is refused if the claim of the organisation or the user holds something else', () => {
    for (const claim of [7, true, '', 'a\nb', ['a', 7], [{ name: 'A' }], 'x'.repeat(257)]) {
      expect(() => organisationsOf(claim), JSON.stringify(claim))
        .to.throw(AuthorizationRefused)
        .with.property('code', 'server_error');
    }
    for (const sub of [undefined, '', 7, 'a\u0000']) {
      expect(() => userOf({ sub, orgs: 'a' }, byClaim)).to.throw(AuthorizationRefused);
    }
  });

  it('has the ID of the configured claim, but no address that is not verified', () => {
    const byEmail = { ...byClaim, userClaim: 'email' };
    const claims = { sub: '1', email: 'ada@example.com', orgs: 'a' };
    expect(userOf({ ...claims, email_verified: true }, byEmail).userId).to.equal('ada@example.com');
    for (const verified of [false, undefined, null, 'true', 1]) {
      expect(() => userOf({ ...claims, email_verified: verified }, byEmail), String(verified)).to.throw(
        AuthorizationRefused,
      );
    }
  });

  it('is shown by name, else by address, else by ID, and long names are cut', () => {
    const shown = (claims: object) => userOf({ sub: '1', orgs: 'a', ...claims }, byClaim).displayName;
    expect(shown({ name: 'Ada', email: 'ada@example.com' })).to.equal('Ada');
    expect(shown({ name: ' ', email: 'ada@example.com' })).to.equal('ada@example.com');
    expect(shown({ name: 7 })).to.equal('1');
    expect(shown({ name: '😀'.repeat(200) })).to.equal('😀'.repeat(100));
    expect(organisationsOf([{ id: 'a', name: 'n'.repeat(200) }])).to.deep.equal([{ id: 'a', name: 'n'.repeat(100) }]);
  });
});
