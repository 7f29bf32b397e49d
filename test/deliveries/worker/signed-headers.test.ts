import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { UnknownKeyGeneration } from '../../../src/access/errors.js';
import { type MasterKeys, masterKeys } from '../../../src/access/keys/master-keys.js';
import { derivedSecrets, type SecretsOf, signatures } from '../../../src/deliveries/worker/signed-headers.js';
import type { SigningSecret } from '../../../src/events/listener-events.js';
import { publicKeysOf, publicKeyText, signingSecret } from '../../../src/listeners/signing-secret.js';
import { secretOf, plainSubscription as subscription } from '../../listeners/fixtures.js';

const keys = masterKeys(
  new Map([
    ['g2', Buffer.alloc(32, 2)],
    ['g1', Buffer.alloc(32, 1)],
  ]),
);
const listenerId = '11111111-1111-4111-8111-111111111111';
const now = Date.now();
const before = secretOf(1);
const present = secretOf(2, { keyGeneration: 'g2' });
const rotatedAt = (now: number) => ({
  listenerId,
  subscription,
  secret: { ...present, previous: { ...before, until: new Date(now + 1_000).toISOString() } },
});
const rotated = rotatedAt(now);

/** Keys that count how often something is derived from them. */
function counting(): { keys: MasterKeys; derived: () => number } {
  let count = 0;
  return {
    keys: {
      ...keys,
      derive(...args) {
        count += 1;
        return keys.derive(...args);
      },
    },
    derived: () => count,
  };
}

describe('the secrets that a delivery is signed with', () => {
  const textOf = (secret: SigningSecret) => signingSecret(keys, listenerId, secret);
  const keysOf = derivedSecrets(keys);
  /** Secrets in the format in which a platform gets them. */
  const secretsOf = (...of: Parameters<SecretsOf>) =>
    keysOf(...of).map((key) => `whsec_${key.export().toString('base64')}`);

  it('are the listener’s present one', () =>
    expect(secretsOf({ listenerId, subscription, secret: present }, now)).to.deep.equal([textOf(present)]));

  it('are the one before too until the overlap is over', () => {
    expect(secretsOf(rotated, now + 999)).to.deep.equal([textOf(present), textOf(before)]);
    expect(secretsOf(rotated, now + 1_000)).to.deep.equal([textOf(present)]);
  });

  it('satisfy the official library with either secret during the overlap, and with the new one only after it', () => {
    const now = Date.now(); // the library refuses what is older than five minutes
    const rotated = rotatedAt(now);
    const body = '{"a":1}';
    const signed = { id: 'msg_1', timestamp: Math.floor(now / 1000), body };
    const verified = (at: number, secret: string) => {
      const headers = {
        'webhook-id': signed.id,
        'webhook-timestamp': String(signed.timestamp),
        'webhook-signature': signatures(keysOf(rotated, at), signed),
      };
      return () => new Webhook(secret).verify(body, headers);
    };
    expect(verified(now, textOf(present))()).to.deep.equal({ a: 1 });
    expect(verified(now, textOf(before))()).to.deep.equal({ a: 1 });
    expect(verified(now + 1_000, textOf(present))()).to.deep.equal({ a: 1 });
    expect(verified(now + 1_000, textOf(before))).to.throw(/No matching signature/);
  });

  it('have private keys after them for a listener that wants their signatures, in an overlap too', () => {
    const wanted = { ...rotated, subscription: { ...subscription, signedWithKeyPair: true } };
    const publicOf = (at: number) =>
      keysOf(wanted, at)
        .slice(-publicKeysOf(keys, wanted, at).length)
        .map(publicKeyText);
    const published = (at: number) => publicKeysOf(keys, wanted, at).map(({ publicKey }) => publicKey);
    expect(keysOf(wanted, now).map(({ type }) => type)).to.deep.equal(['secret', 'secret', 'private', 'private']);
    expect(publicOf(now)).to.deep.equal(published(now)).and.have.length(2);
    expect(publicOf(now + 1_000)).to.deep.equal(published(now).slice(0, 1));
    expect(publicKeysOf(keys, wanted, now).map(({ version, until }) => [version, until])).to.deep.equal([
      [2, null],
      [1, wanted.secret.previous.until],
    ]);
    expect(keysOf(wanted, now)).to.deep.equal(keysOf(wanted, now));
    expect(published(now)[0]).to.equal('whpk_NmUMnsbAQYoTWtEkQRiWu5mWMN0mF8m//NCoroTgTAo=');
  });

  it('are derived once, as long as they are among those used last', () => {
    const counted = counting();
    const remembering = derivedSecrets(counted.keys, 2);
    const use = (version: number) => remembering({ listenerId, subscription, secret: secretOf(version) }, now);
    for (const version of [1, 2, 1, 1]) use(version);
    expect(counted.derived()).to.equal(2);
    use(3); // evicts the one that was used longest ago
    use(1);
    expect(counted.derived()).to.equal(3);
    use(2);
    expect(counted.derived()).to.equal(4);
  });

  it('differ from listener to listener, in spite of the cache', () => {
    const other = '22222222-2222-4222-8222-222222222222';
    expect(secretsOf({ listenerId: other, subscription, secret: present }, now)).not.to.deep.equal(
      secretsOf({ listenerId, subscription, secret: present }, now),
    );
  });

  it('cannot be had where the master key is not here', () =>
    expect(() => secretsOf({ listenerId, subscription, secret: secretOf(1, { keyGeneration: 'g0' }) }, now)).to.throw(
      UnknownKeyGeneration,
    ));
});
