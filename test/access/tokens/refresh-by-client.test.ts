import { expect } from 'chai';
import type { CheckedClient } from '../../../src/access/clients/client-authentication.js';
import { InvalidClient, InvalidGrant, InvalidScope, InvalidTokenRequest } from '../../../src/access/errors.js';
import { sessionDecider } from '../../../src/access/tokens/session.js';
import type { SessionEvent } from '../../../src/events/session-events.js';
import { given } from '../../support/given.js';
import { client } from '../clients/fixtures.js';
import { hash, issued, refresh, revoked, rotated } from './fixtures.js';

const session = (...history: readonly SessionEvent[]) => given(sessionDecider, history);
const by = (clientId: string): CheckedClient => ({
  client: client({ clientId, scopes: ['listeners', 'flows:publish'] }),
});
const withoutCredentials: CheckedClient = { refusal: new InvalidClient('test') };

describe('rotating the refresh token of a client', () => {
  const ofZapier = { clientId: 'zapier', scopes: ['listeners' as const] };
  const bound = session(issued(ofZapier));

  it('keeps the client and the scopes of the session', () =>
    bound
      .when(refresh('first', { successor: 'second', presentedBy: by('zapier') }))
      .then([rotated('first', 'second', ofZapier)]));

  it('refuses another client, and callers without credentials, with the reason', () => {
    bound.when(refresh('first', { presentedBy: by('make') })).thenThrows(InvalidGrant);
    bound.when(refresh('first', { presentedBy: withoutCredentials })).thenThrows(InvalidClient);
    const twice: CheckedClient = { refusal: new InvalidTokenRequest('sent in two ways') };
    bound.when(refresh('first', { presentedBy: twice })).thenThrows(InvalidTokenRequest);
  });

  it('refuses every caller after the last client was removed', () =>
    bound.when(refresh('first', { presentedBy: undefined })).thenThrows(InvalidGrant));

  it('does not revoke the session if a stolen old token is presented without the credentials of its client', () => {
    const third = session(issued(ofZapier), rotated('second', 'third', ofZapier));
    for (const presentedBy of [withoutCredentials, by('make')]) {
      expect(() => refresh('first', { presentedBy })(third.state)).to.throw();
    }
    const [detected, ended] = refresh('first', { presentedBy: by('zapier') })(third.state);
    expect(detected?.type).to.equal('RefreshReuseDetected');
    expect(ended?.type).to.equal(revoked('refresh-token-reused').type);
  });

  it('gives no successor to another client within the grace period', () => {
    const rotatedOnce = session(issued(ofZapier), rotated('first', 'second', ofZapier));
    rotatedOnce.when(refresh('first', { presentedBy: by('zapier') })).then([]);
    rotatedOnce.when(refresh('first', { presentedBy: by('make') })).thenThrows(InvalidGrant);
  });

  it('refuses scopes that the session does not have, and rotates with a part of them', () => {
    const presentedBy = by('zapier');
    bound.when(refresh('first', { presentedBy, scopes: ['listeners', 'flows:publish'] })).thenThrows(InvalidScope);
    bound.when(refresh('first', { presentedBy, scopes: ['openid'] })).thenThrows(InvalidScope);
    bound
      .when(refresh('first', { successor: 'second', presentedBy, scopes: ['listeners'] }))
      .then([rotated('first', 'second', ofZapier)]);
  });
});

describe('rotating the refresh token of a session without a client', () => {
  const unbound = session(issued());

  it('binds it to the first client that presents its token', () => {
    const ofMake = { clientId: 'make', scopes: ['listeners' as const, 'flows:publish' as const] };
    unbound
      .when(refresh('first', { successor: 'second', presentedBy: by('make') }))
      .then([rotated('first', 'second', ofMake)]);
    session(issued(), rotated('first', 'second', ofMake))
      .when(refresh('second', { presentedBy: by('zapier') }))
      .thenThrows(InvalidGrant);
  });

  it('continues without credentials, and with wrong ones, which its platform may have sent before it was registered', () => {
    for (const presentedBy of [undefined, withoutCredentials]) {
      unbound.when(refresh('first', { successor: 'second', presentedBy })).then([rotated('first', 'second')]);
    }
  });

  it('ignores a requested scope, as before any client was registered', () =>
    unbound
      .when(refresh('first', { successor: 'second', scopes: ['openid'] }))
      .then([rotated('first', 'second', { currentHash: hash('second') })]));
});
