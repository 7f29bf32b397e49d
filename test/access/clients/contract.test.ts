import { expect } from 'chai';
import { z } from 'zod';
import { changeClientRequest, registerClientRequest } from '../../../src/access/clients/contract.js';

const request = z.strictObject(registerClientRequest);
const valid = { name: 'Zapier', redirectUris: ['https://zapier.example/cb'] };
const accepts = (changes: object) => request.safeParse({ ...valid, ...changes }).success;

describe('a request to register a client', () => {
  it('registers a confidential client with the scope listeners, if it does not say otherwise', () =>
    expect(request.parse(valid)).to.deep.equal({ ...valid, type: 'confidential', scopes: ['listeners'] }));

  const redirectUris = {
    'https://zapier.example/cb': true,
    'https://zapier.example/cb?app=7&x=%20': true,
    'https://[2001:db8::1]:8443/cb': true,
    'http://127.0.0.1:5678/cb': true,
    'http://[::1]/cb': true,
    'http://localhost:5678/rest/oauth2-credential/callback': true,
    'http://zapier.example/cb': false,
    'http://127.0.0.1.example/cb': false,
    'https://zapier.example/cb#part': false,
    'https://zapier.example/cb#': false,
    'https://user:password@zapier.example/cb': false,
    'https://user@zapier.example/cb': false,
    'https://*.zapier.example/<cb>': false,
    'https:\\\\zapier.example\\cb': false,
    'https:zapier.example/cb': false,
    'https:///zapier.example/cb': false,
    ' https://zapier.example/cb': false,
    'https://zapier.example/cb\n': false,
    'https://zapier.example/é': false,
    '/cb': false,
    'javascript:alert(1)': false,
    'data:text/html,x': false,
    '': false,
    [`https://zapier.example/${'x'.repeat(1_024)}`]: false,
  };
  for (const [uri, accepted] of Object.entries(redirectUris)) {
    it(`${accepted ? 'accepts' : 'refuses'} the redirect URI ${JSON.stringify(uri.slice(0, 60))}`, () =>
      expect(accepts({ redirectUris: [uri] })).to.equal(accepted));
  }

  it('has one to ten different redirect URIs of at most 3,000 characters together', () => {
    const uris = (count: number, length = 0) =>
      Array.from({ length: count }, (_, index) => `https://zapier.example/${index}`.padEnd(length, 'x'));
    expect(accepts({ redirectUris: [] })).to.equal(false);
    expect(accepts({ redirectUris: uris(10) })).to.equal(true);
    expect(accepts({ redirectUris: uris(11) })).to.equal(false);
    expect(accepts({ redirectUris: uris(3, 1_000) })).to.equal(true);
    expect(accepts({ redirectUris: uris(3, 1_001) })).to.equal(false);
    expect(accepts({ redirectUris: [...valid.redirectUris, ...valid.redirectUris] })).to.equal(false);
    expect(accepts({ redirectUris: 'https://zapier.example/cb' })).to.equal(false);
  });

  it('has known, different scopes', () => {
    expect(accepts({ scopes: ['listeners', 'flows:publish'] })).to.equal(true);
    for (const scopes of [[], ['listeners', 'listeners'], ['admin'], 'listeners'])
      expect(accepts({ scopes })).to.equal(false);
  });

  it('has an ID that is safe in a header, a path and a command line', () => {
    for (const clientId of ['zapier', 'a', '7.x_y~z-', 'x'.repeat(64)]) expect(accepts({ clientId })).to.equal(true);
    for (const clientId of ['', '-x', '.', 'a b', 'a:b', 'a/b', 'é', 'x'.repeat(65)]) {
      expect(accepts({ clientId }), clientId).to.equal(false);
    }
  });

  it('has a printable name', () => {
    for (const name of ['', 'a\nb', 'x'.repeat(101), 7]) expect(accepts({ name })).to.equal(false);
  });
});

describe('a request to change a client', () => {
  it('has the limits of a listener, and keeps unnamed fields', () => {
    const change = z.strictObject(changeClientRequest);
    expect(change.parse({})).to.deep.equal({});
    for (const wrong of [{ redirectUris: [] }, { scopes: [] }, { name: '' }, { type: 'public' }]) {
      expect(change.safeParse(wrong).success).to.equal(false);
    }
  });
});
