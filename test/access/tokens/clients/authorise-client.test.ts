import { expect } from 'chai';
import { InvalidGrant, InvalidScope } from '../../../../src/access/errors.js';
import { authoriseClient, type PresentedCode } from '../../../../src/access/tokens/exchange-code.js';
import { client, publicClient } from '../../clients/fixtures.js';

const redirectUri = 'https://zapier.example/callback';
const code = { clientId: 'zapier', redirectUri, scope: undefined, hadChallenge: false };
const authorise = (presented: Partial<PresentedCode>) => () =>
  authoriseClient({ client: client(), code, redirectUri: undefined, ...presented });

describe('a client that presents a code', () => {
  it('gets all its scopes if the code asks for none', () => {
    expect(authorise({})()).to.deep.equal(['listeners']);
    const both = client({ scopes: ['listeners', 'flows:publish'] });
    for (const scope of [undefined, '', ' ']) {
      expect(authorise({ client: both, code: { ...code, scope } })()).to.deep.equal(both.scopes);
    }
  });

  it('gets the scopes that the code asks for and the client may have', () => {
    const both = client({ scopes: ['listeners', 'flows:publish'] });
    expect(authorise({ client: both, code: { ...code, scope: 'flows:publish' } })()).to.deep.equal(['flows:publish']);
    expect(authorise({ code: { ...code, scope: 'openid  listeners flows:publish' } })()).to.deep.equal(['listeners']);
  });

  it('is refused if it may have none of them', () =>
    expect(authorise({ code: { ...code, scope: 'flows:publish' } })).to.throw(InvalidScope));

  const refusals: Readonly<Record<string, Partial<PresentedCode>>> = {
    'without a client': { code: { ...code, clientId: undefined } },
    'of another client': { code: { ...code, clientId: 'make' } },
    'without a redirect URI': { code: { ...code, redirectUri: undefined } },
    'with a redirect URI that is not the client’s': { code: { ...code, redirectUri: `${redirectUri}/` } },
    'with another redirect URI than the request': { redirectUri: 'https://zapier.example/other' },
    'without a challenge, if it is a public client': { client: publicClient() },
  };
  for (const [what, presented] of Object.entries(refusals)) {
    it(`is refused with a code ${what}`, () => expect(authorise(presented)).to.throw(InvalidGrant));
  }

  it('may repeat the redirect URI of the code', () =>
    expect(authorise({ redirectUri })()).to.deep.equal(['listeners']));

  it('that is public is accepted with a code that has a challenge', () =>
    expect(authorise({ client: publicClient(), code: { ...code, hadChallenge: true } })()).to.deep.equal([
      'listeners',
    ]));
});
