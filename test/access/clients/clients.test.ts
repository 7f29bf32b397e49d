import { expect } from 'chai';
import { clientsDecider } from '../../../src/access/clients/client.js';
import { maxClients } from '../../../src/access/clients/client-commands.js';
import { ClientExists, ClientNotFound, ClientSecretsOverlap, TooManyClients } from '../../../src/access/errors.js';
import { type ClientEvent, clientCodec } from '../../../src/events/client-events.js';
import { InvalidRequest } from '../../../src/kernel/domain-error.js';
import { maxAppendBytes } from '../../../src/stores/event-store/event-store.js';
import { given as givenHistory } from '../../support/given.js';
import {
  change,
  client,
  endPrevious,
  event,
  hash,
  hour,
  later,
  publicClient,
  register,
  registered,
  remove,
  rotate,
  secret,
} from './fixtures.js';

const given = (...history: readonly ClientEvent[]) => givenHistory(clientsDecider, history);
const make = client({ clientId: 'make', name: 'Make' });

describe('registering a client', () => {
  it('records it with the hash of its secret, after the clients that exist', () => {
    given()
      .when(register())
      .then([registered(client())]);
    given(registered(client()))
      .when(register({ clientId: 'make', name: 'Make' }))
      .then([registered(client(), make)]);
  });

  it('records a public client without a secret', () =>
    given()
      .when(register({ secretHash: null }))
      .then([registered(publicClient())]));

  it('refuses an ID that is in use, and accepts it again after its removal', () => {
    given(registered(client()))
      .when(register())
      .thenThrows(ClientExists, /'zapier' is registered already/);
    given(registered(client()), event('ClientRemoved', []))
      .when(register())
      .then([registered(client())]);
  });

  it('refuses more clients than fit into one event, and accepts that many of maximum size', () => {
    const largest = Array.from({ length: maxClients }, (_, index) =>
      client({
        clientId: `${index}`.padStart(64, 'x'),
        name: '\u{1F600}'.repeat(100),
        redirectUris: ['a', 'b', 'c'].map((host) => `https://${host}.example/`.padEnd(1_000, 'x')),
        scopes: ['listeners', 'flows:publish'],
        secrets: [secret('second'), secret('first', later(0), later(hour))],
      }),
    );
    given(registered(...largest))
      .when(register())
      .thenThrows(TooManyClients, /200 clients/);
    const encoded = clientCodec.encode(registered(...largest), { actor: 'test', correlationId: 'test' }, new Date());
    expect(Buffer.byteLength(JSON.stringify(encoded))).to.be.below(0.9 * maxAppendBytes);
  });
});

describe('changing a client', () => {
  it('changes the given fields and keeps the others, of this client and of all others', () => {
    given(registered(client(), make))
      .when(change({ scopes: ['listeners', 'flows:publish'], redirectUris: ['https://zapier.example/new'] }))
      .then([
        event('ClientChanged', [
          client({ scopes: ['listeners', 'flows:publish'], redirectUris: ['https://zapier.example/new'] }),
          make,
        ]),
      ]);
    given(registered(client()))
      .when(change({ name: 'Zapier 2' }))
      .then([event('ClientChanged', [client({ name: 'Zapier 2' })])]);
  });

  it('appends nothing if nothing changes', () =>
    given(registered(client()))
      .when(change({ name: 'Zapier', scopes: ['listeners'] }))
      .then([]));

  it('refuses a client that is not registered', () => {
    given().when(change()).thenThrows(ClientNotFound);
    given(registered(make))
      .when(change())
      .thenThrows(ClientNotFound, /'zapier'/);
  });
});

describe('rotating the secret of a client', () => {
  const rotated = (...secrets: readonly ReturnType<typeof secret>[]) =>
    event('ClientSecretRotated', [client({ secrets: [...secrets] })]);

  it('keeps the previous secret until it is ended', () =>
    given(registered(client()))
      .when(rotate({ now: later(hour) }))
      .then([rotated(secret('second', later(hour)), secret('first'))]));

  it('keeps the previous secret for the given overlap', () =>
    given(registered(client()))
      .when(rotate({ now: later(hour), overlapMs: 2 * hour }))
      .then([rotated(secret('second', later(hour)), secret('first', later(0), later(3 * hour)))]));

  it('ends all earlier secrets with an overlap of 0', () => {
    given(registered(client()))
      .when(rotate({ overlapMs: 0 }))
      .then([rotated(secret('second'))]);
    given(rotated(secret('second'), secret('first')))
      .when(rotate({ secretHash: hash('third'), overlapMs: 0 }))
      .then([rotated(secret('third'))]);
  });

  it('refuses a third secret while two are valid, and drops one that has ended', () => {
    given(rotated(secret('second'), secret('first')))
      .when(rotate({ secretHash: hash('third') }))
      .thenThrows(ClientSecretsOverlap, /valid too: end it first/);
    given(rotated(secret('second'), secret('first', later(0), later(hour))))
      .when(rotate({ secretHash: hash('third'), now: later(hour - 1) }))
      .thenThrows(ClientSecretsOverlap, /until 2026-01-01T01:00:00.000Z/);
    given(rotated(secret('second'), secret('first', later(0), later(hour))))
      .when(rotate({ secretHash: hash('third'), now: later(hour) }))
      .then([rotated(secret('third', later(hour)), secret('second'))]);
  });

  it('replaces a newest secret that was lost, and leaves the one in use as it is', () => {
    given(rotated(secret('second'), secret('first')))
      .when(rotate({ secretHash: hash('third'), discardNewest: true }))
      .then([rotated(secret('third'), secret('first'))]);
    given(registered(client()))
      .when(rotate({ discardNewest: true }))
      .then([rotated(secret('second'))]);
  });

  it('refuses a public client, and one that is not registered', () => {
    given(registered(publicClient()))
      .when(rotate())
      .thenThrows(InvalidRequest, /public client/);
    given().when(rotate()).thenThrows(ClientNotFound);
  });
});

describe('ending the previous secret of a client', () => {
  const two = event('ClientSecretRotated', [
    client({ secrets: [secret('second'), secret('first', later(0), later(hour))] }),
  ]);

  it('leaves the newest secret', () =>
    given(two)
      .when(endPrevious())
      .then([event('ClientPreviousSecretEnded', [client({ secrets: [secret('second')] })])]));

  it('appends nothing if only one secret is valid', () => {
    given(registered(client())).when(endPrevious()).then([]);
    given(two)
      .when(endPrevious(later(hour)))
      .then([]);
  });

  it('refuses a public client, and one that is not registered', () => {
    given(registered(publicClient())).when(endPrevious()).thenThrows(InvalidRequest);
    given().when(endPrevious()).thenThrows(ClientNotFound);
  });
});

describe('removing a client', () => {
  it('keeps the others', () =>
    given(registered(client(), make))
      .when(remove())
      .then([event('ClientRemoved', [make])]));

  it('refuses a client that is not registered, also on a repeat', () =>
    given(event('ClientRemoved', [])).when(remove()).thenThrows(ClientNotFound));
});
