import fc from 'fast-check';
import { apiKeyDecider, createApiKey, recordApiKeyUse, revokeApiKey } from '../../../src/access/api-keys/api-key.js';
import type { ApiKeyEvent } from '../../../src/events/api-key-events.js';
import { InvalidRequest } from '../../../src/kernel/domain-error.js';
import { folded, given as givenHistory } from '../../support/given.js';
import { created, hourMs, keyCreated, keyFacts, keyRevoked, keyUsed, later } from './fixtures.js';

const given = (...history: ApiKeyEvent[]) => givenHistory(apiKeyDecider, history);

describe('creating an API key', () => {
  const { apiKeyId, name, orgId, hash } = keyFacts;
  const command = { apiKeyId, name, orgId, hash, scopes: keyFacts.scopes, expiresAt: null, now: created };

  it('records its purpose and its hash', () =>
    given()
      .when((key) => createApiKey(command, key))
      .then([keyCreated()]));

  it('keeps each scope once', () =>
    given()
      .when((key) => createApiKey({ ...command, scopes: ['listeners:read', 'flows:publish', 'listeners:read'] }, key))
      .then([keyCreated({ scopes: ['listeners:read', 'flows:publish'] })]));

  it('refuses an expiry that is over', () =>
    given()
      .when((key) => createApiKey({ ...command, expiresAt: created.toISOString() }, key))
      .thenThrows(InvalidRequest, /expiresAt/));

  it('changes nothing if the ID is in use', () =>
    given(keyCreated())
      .when((key) => createApiKey({ ...command, name: 'other' }, key))
      .then([]));
});

describe('revoking an API key', () => {
  const revoke = revokeApiKey.bind(undefined, { now: later(hourMs) });

  it('ends it, and keeps its last use', () =>
    given(keyCreated(), keyUsed(later(1)))
      .when(revoke)
      .then([keyRevoked(later(hourMs), { lastUsedAt: later(1).toISOString() })]));

  it('changes nothing if it is revoked, or never existed', () => {
    given(keyCreated(), keyRevoked(later(1)))
      .when(revoke)
      .then([]);
    given().when(revoke).then([]);
  });
});

describe('recording the use of an API key', () => {
  const use = (at: Date) => recordApiKeyUse.bind(undefined, { now: at });

  it('records the first use, and the next one after an hour', () => {
    given(keyCreated())
      .when(use(later(1)))
      .then([keyUsed(later(1))]);
    given(keyCreated(), keyUsed(later(1)))
      .when(use(later(1 + hourMs)))
      .then([keyUsed(later(1 + hourMs))]);
  });

  it('records no second use within an hour, even one that another instance has seen', () =>
    given(keyCreated(), keyUsed(later(1)))
      .when(use(later(hourMs)))
      .then([]));

  it('records no use of a revoked key, or of one that was erased', () => {
    given(keyCreated(), keyRevoked(later(1)))
      .when(use(later(2)))
      .then([]);
    given()
      .when(use(later(2)))
      .then([]);
  });
});

const anyEvent: fc.Arbitrary<ApiKeyEvent> = fc.oneof(
  fc.constant(keyCreated()),
  fc.nat().map((ms) => keyUsed(later(ms))),
  fc.nat().map((ms) => keyRevoked(later(ms))),
);

describe('an API key', () => {
  it('has the same state from any history as from its last event alone', () => {
    fc.assert(fc.property(fc.array(anyEvent, { minLength: 1 }), (history) => void folded(apiKeyDecider, history)));
  });
});
