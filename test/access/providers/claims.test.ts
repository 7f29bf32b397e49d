import { expect } from 'chai';
import { AccountRefused, AuthorizationRefused } from '../../../src/access/errors.js';
import { claimAt, userOf } from '../../../src/access/providers/claims.js';

const byClaim = { userClaim: 'sub', organisationsClaim: 'orgs' } as const;

describe('the user that the claims of an ID token name', () => {
  const organisationsOf = (orgs: unknown, by: 'alias' | 'id' = 'alias') =>
    userOf({ sub: 'ada', orgs }, { userClaim: 'sub', organisationsClaim: 'orgs', organisationId: by }).organisations;

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

  it('belongs to the organisations of a map by alias, as Keycloak writes it, by alias or by ID', () => {
    const map = { acme: { id: '42c3e46f' }, globex: { id: '17', region: ['eu'] } };
    expect(organisationsOf(map)).to.deep.equal([
      { id: 'acme', name: 'acme' },
      { id: 'globex', name: 'globex' },
    ]);
    expect(organisationsOf(map, 'id')).to.deep.equal([
      { id: '42c3e46f', name: 'acme' },
      { id: '17', name: 'globex' },
    ]);
    expect(organisationsOf({ acme: {} })).to.deep.equal([{ id: 'acme', name: 'acme' }]);
    expect(organisationsOf({ id: 'a', name: 'A' }, 'id')).to.deep.equal([{ id: 'a', name: 'A' }]);
  });

  it('belongs to no organisation of which only the alias is given, where IDs count', () => {
    for (const claim of ['acme', ['acme'], { acme: {} }, { acme: { id: '1' }, globex: {} }]) {
      expect(() => organisationsOf(claim, 'id'), JSON.stringify(claim))
        .to.throw(AuthorizationRefused)
        .with.property('code', 'server_error');
    }
  });

  it('is found in claims at a path, unless a claim has this name', () => {
    const settings = { userClaim: 'a.user', organisationsClaim: 'https://h.example/orgs' } as const;
    const claims = { a: { user: 'ada' }, 'https://h.example/orgs': ['b'] };
    expect(userOf(claims, settings)).to.deep.include({ userId: 'ada', organisations: [{ id: 'b', name: 'b' }] });
    expect(userOf({ ...claims, 'a.user': 'bob' }, settings).userId).to.equal('bob');
    for (const a of [undefined, null, 'user', { user: { x: 1 } }, []])
      expect(() => userOf({ ...claims, a }, settings)).to.throw(AuthorizationRefused);
    expect(claimAt({ a: {} }, 'a.constructor.name')).to.equal(undefined);
  });

  it('belongs to the organisation of the provider, whatever the claims', () => {
    const settings = { userClaim: 'sub', organisation: 'acme' };
    expect(userOf({ sub: 'ada', orgs: ['b'] }, settings).organisations).to.deep.equal([{ id: 'acme', name: 'acme' }]);
  });

  it('is refused without an organisation', () => {
    for (const claim of [undefined, null, []]) {
      expect(() => userOf({ sub: '1', name: 'Eve', orgs: claim }, byClaim))
        .to.throw(AccountRefused)
        .that.includes({ code: 'access_denied', displayName: 'Eve' });
    }
  });

  it('is refused if the claim of the organisation or the user holds something else', () => {
    for (const claim of [
      7,
      true,
      '',
      'a\nb',
      ['a', 7],
      [{ name: 'A' }],
      { acme: 'x' },
      { acme: { id: 7 } },
      'x'.repeat(257),
    ]) {
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
    expect(() => userOf({ ...claims, email_verified: false }, byEmail)).to.throw(AccountRefused, 'is not verified');
    expect(() => userOf(claims, byEmail))
      .to.throw(AuthorizationRefused)
      .that.includes({ code: 'server_error' });
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
