import { expect } from 'chai';
import { AuthorizationRefused, SignInRefused } from '../../../src/access/errors.js';
import { checkedRequest } from '../../../src/access/sign-in/platform-request.js';
import { trustedClient } from '../../../src/access/sign-in/trusted-client.js';
import type { Client } from '../../../src/events/client-events.js';

const client: Client = {
  clientId: 'zapier',
  name: 'Zapier',
  type: 'confidential',
  redirectUris: ['https://platform.example/callback?kept=1', 'https://platform.example/other'],
  scopes: ['listeners', 'flows:publish'],
  secrets: [],
  registeredAt: '2026-01-01T00:00:00.000Z',
};
const clients = new Map([
  [client.clientId, client],
  ['app', { ...client, clientId: 'app', type: 'public' as const, scopes: ['listeners' as const] }],
]);
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const right = {
  response_type: 'code',
  client_id: 'zapier',
  redirect_uri: 'https://platform.example/callback?kept=1',
  scope: 'listeners',
  state: 'a b',
  code_challenge: challenge,
  code_challenge_method: 'S256',
};

type Changes = Readonly<Record<string, string | undefined>>;

function queryOf(changes: Changes = {}, more = ''): URLSearchParams {
  const given = Object.entries({ ...right, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return new URLSearchParams(`${new URLSearchParams(given)}${more}`);
}
const check = (changes: Changes = {}, more = '') => {
  const query = queryOf(changes, more);
  return checkedRequest(query, trustedClient(query, clients));
};

describe('the request of a platform to sign a user in', () => {
  it('is taken with client, redirect URI, scopes, state and challenge', () => {
    expect(check()).to.deep.equal({
      clientId: 'zapier',
      redirectUri: right.redirect_uri,
      scopes: ['listeners'],
      state: 'a b',
      codeChallenge: challenge,
    });
  });

  it('means all scopes of the client if it names none, and each scope once', () => {
    for (const scope of [undefined, '', ' '])
      expect(check({ scope }).scopes).to.deep.equal(['listeners', 'flows:publish']);
    expect(check({ scope: 'listeners listeners' }).scopes).to.deep.equal(['listeners']);
  });

  it('of a confidential client may lack a challenge and a state', () => {
    const without = { code_challenge: undefined, code_challenge_method: undefined, state: undefined };
    expect(check(without)).to.have.all.keys('clientId', 'redirectUri', 'scopes');
  });

  const untrusted: readonly (readonly [what: string, changes: Changes, more?: string])[] = [
    ['without a client', { client_id: undefined }],
    ['of an unknown client', { client_id: 'make' }],
    ['of two clients', {}, '&client_id=zapier'],
    ['without a redirect URI', { redirect_uri: undefined }],
    ['with two redirect URIs', {}, '&redirect_uri=https%3A%2F%2Fevil.example%2F'],
    ['with a redirect URI of another host', { redirect_uri: 'https://evil.example/callback?kept=1' }],
    ['with the redirect URI without its query', { redirect_uri: 'https://platform.example/callback' }],
    ['with more than the redirect URI', { redirect_uri: `${right.redirect_uri}&x=1` }],
    ['with the redirect URI in other case', { redirect_uri: 'https://PLATFORM.example/callback?kept=1' }],
    ['with a user name in the redirect URI', { redirect_uri: 'https://platform.example@evil.example/other' }],
  ];
  for (const [what, changes, more] of untrusted) {
    it(`${what} is shown as an error, and nothing is redirected`, () => {
      expect(() => trustedClient(queryOf(changes, more), clients)).to.throw(SignInRefused);
    });
  }

  it('is refused while no client is registered', () => {
    expect(() => trustedClient(queryOf(), new Map())).to.throw(SignInRefused, 'no platform is registered');
  });

  const refused: readonly (readonly [what: string, code: string, changes: Changes, more?: string])[] = [
    ['without a response type', 'invalid_request', { response_type: undefined }],
    ['with an implicit response type', 'unsupported_response_type', { response_type: 'token' }],
    ['with another response mode', 'invalid_request', { response_mode: 'fragment' }],
    [
      'with a scope that the client may not have',
      'invalid_scope',
      { client_id: 'app', scope: 'listeners flows:publish' },
    ],
    ['with an unknown scope', 'invalid_scope', { scope: 'admin' }],
    ['with a plain challenge', 'invalid_request', { code_challenge_method: 'plain' }],
    ['with a challenge without a method, which is plain', 'invalid_request', { code_challenge_method: undefined }],
    ['with a method without a challenge', 'invalid_request', { code_challenge: undefined }],
    ['with a challenge that is no digest', 'invalid_request', { code_challenge: 'short' }],
    ['with two states', 'invalid_request', {}, '&state=b'],
    ['with two unknown parameters of one name', 'invalid_request', {}, '&"é"=1&"é"=2'],
    [
      'of a public client without a challenge',
      'invalid_request',
      { client_id: 'app', code_challenge: undefined, code_challenge_method: undefined },
    ],
  ];
  for (const [what, code, changes, more] of refused) {
    it(`${what} is answered with ${code}`, () => {
      expect(() => check(changes, more))
        .to.throw(AuthorizationRefused)
        .with.property('code', code);
    });
  }

  it('gets descriptions in the characters of RFC 6749 §4.1.2.1', () => {
    for (const [, , changes, more] of refused) {
      expect(() => check(changes, more)).to.throw(AuthorizationRefused, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
    }
  });

  it('with two states is answered without one', () => {
    expect(trustedClient(queryOf({}, '&state=b'), clients)).to.not.have.property('state');
  });
});
