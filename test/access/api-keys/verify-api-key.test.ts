import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { pino } from 'pino';
import { apiKeyStream } from '../../../src/access/api-keys/api-key.js';
import { type ApiKeyRequest, endApiKey, issueApiKey } from '../../../src/access/api-keys/api-keys.js';
import { apiKeyVerification } from '../../../src/access/api-keys/verify-api-key.js';
import type { Context } from '../../../src/http/context.js';
import { Unauthenticated } from '../../../src/http/errors.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { collect } from '../../contract/event-store/support.js';
import { withOtherEnd } from '../../support/identity-provider/with-other-end.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';
import { created, hourMs, later } from './fixtures.js';

const request: ApiKeyRequest = { name: 'erp', orgId: 'org-1', scopes: ['flows:publish'], expiresAt: null };
const context = { cause: { actor: 'admin:ops', correlationId: 'request-1' }, now: created };

/** A request in progress: `answered` ends it. */
function requestWith(warnings: string[] = []) {
  const res = new EventEmitter();
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
  const ctx = { res, state: { requestId: 'request-2', log, traceparent: undefined } } as unknown as Context; // what is read of one
  return { ctx, answered: () => res.emit('close') };
}

describe('verifying an API key', () => {
  let store: EventStore;
  let now: Date;

  beforeEach(() => {
    store = openSqliteEventStore({ directory: temporaryDirectory() });
    now = later(1);
  });
  afterEach(() => store.close());

  const verification = (on: EventStore = store) => apiKeyVerification(on, () => now);
  const issue = (changes: Partial<ApiKeyRequest> = {}) => issueApiKey(store, { ...request, ...changes }, context);
  const verify = (text: string, verifier = verification()) => verifier(requestWith().ctx, text);
  const refusal = async (text: string) => {
    const error = await rejection(verify(text));
    expect(error).to.be.instanceOf(Unauthenticated);
    return (error as Unauthenticated).message;
  };
  const typesOf = async (apiKeyId: string) =>
    (await collect(store.readStream(apiKeyStream(apiKeyId)))).map(({ type }) => type);

  it('returns the grants of the key', async () => {
    const { key, text } = await issue();
    expect(text).to.match(/^fhk_[\w-]{22}_[\w-]{43}$/);
    expect(await verify(text)).to.deep.equal({
      apiKeyId: key.apiKeyId,
      orgId: 'org-1',
      scopes: ['flows:publish'],
    });
  });

  it('leaves other tokens to others', async () => {
    expect(await verify('eyJhbGciOiJFZERTQSJ9.e30.c2ln')).to.equal(undefined);
  });

  it('refuses another secret, ID or spelling, and a text that only begins like a key', async () => {
    const { text } = await issue();
    const { text: other } = await issue();
    const lastOfId = text.charAt(25) === 'A' ? 'B' : 'A';
    for (const wrong of [
      withOtherEnd(text),
      `${other.slice(0, 27)}${text.slice(27)}`,
      `${text.slice(0, 25)}${lastOfId}${text.slice(26)}`,
      `${text}A`,
      'fhk_',
    ]) {
      expect(await refusal(wrong), wrong).to.equal('the API key is not valid');
    }
  });

  it('refuses a key from its expiry on', async () => {
    const { text } = await issue({ expiresAt: later(hourMs).toISOString() });
    now = later(hourMs - 1);
    expect(await verify(text)).to.include({ orgId: 'org-1' });
    now = later(hourMs);
    expect(await refusal(text)).to.equal('the API key has expired');
  });

  it('refuses a revoked key at once, also by a verification that has accepted it before', async () => {
    const { key, text } = await issue();
    const elsewhere = verification();
    await verify(text, elsewhere);
    await endApiKey(store, key.apiKeyId, context);
    expect(await rejection(verify(text, elsewhere))).to.be.instanceOf(Unauthenticated);
    expect(await refusal(text)).to.equal('the API key has been revoked');
    expect(await refusal(withOtherEnd(text))).to.equal('the API key is not valid');
  });

  it('stores neither the key nor its secret', async () => {
    const { key, text } = await issue();
    const written = JSON.stringify(
      (await collect(store.readStream(apiKeyStream(key.apiKeyId)))).map(({ data, metadata }) => [data, metadata]),
    );
    expect(written).not.to.include(text);
    expect(written).not.to.include(text.slice(27));
  });

  describe('records the last use', () => {
    it('after the answer, at most once an hour for all instances together', async () => {
      const { key, text } = await issue();
      const instances = [verification(), verification()];
      const requests = Array.from({ length: 20 }, () => requestWith());
      for (const [index, { ctx }] of requests.entries()) await instances[index % 2]?.(ctx, text);
      expect(await typesOf(key.apiKeyId)).to.deep.equal(['ApiKeyCreated']);
      for (const { answered } of requests) answered();
      await until(async () => (await typesOf(key.apiKeyId)).length > 1, 'the use');

      const within = requestWith();
      now = later(hourMs);
      await verification()(within.ctx, text);
      within.answered();
      now = later(hourMs + 1);
      const after = requestWith();
      await verification()(after.ctx, text);
      after.answered();
      await until(async () => (await typesOf(key.apiKeyId)).length > 2, 'the next use');
      expect(await typesOf(key.apiKeyId)).to.deep.equal(['ApiKeyCreated', 'ApiKeyUsed', 'ApiKeyUsed']);
      const last = (await collect(store.readStream(apiKeyStream(key.apiKeyId)))).at(-1);
      expect(last?.data).to.include({ lastUsedAt: later(hourMs + 1).toISOString() });
      expect(last?.metadata).to.include({ actor: `api-key:${key.apiKeyId}`, $correlationId: 'request-2' });
    });

    it('but a failure to do so is only logged, without the key', async () => {
      const { text } = await issue();
      const warnings: string[] = [];
      const failing = { ...store, append: () => Promise.reject(new StoreUnavailable('the store is down')) };
      const { ctx, answered } = requestWith(warnings);
      await verification(failing)(ctx, text);
      answered();
      await until(() => warnings.length > 0, 'the warning');
      expect(warnings.join()).to.match(/could not be recorded/);
      expect(warnings.join()).not.to.include(text);
    });
  });
});
