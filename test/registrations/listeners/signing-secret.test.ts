import { expect } from 'chai';
import { masterKeys, UnknownKeyGeneration } from '../../../src/access/keys/master-keys.js';
import { signingSecret } from '../../../src/registrations/listeners/signing-secret.js';
import { firstId, nextId } from './fixtures.js';

const keys = masterKeys(
  new Map([
    ['g2', Buffer.alloc(32, 2)],
    ['g1', Buffer.alloc(32, 1)],
  ]),
);
const registration = { listenerId: firstId, keyGeneration: 'g1', secretVersion: 1 };

describe("a listener's signing secret", () => {
  it('is 32 bytes in the format of Standard Webhooks', () => {
    const secret = signingSecret(keys, registration);
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).to.have.length(32);
  });

  it('is the same each time it is derived', () =>
    expect(signingSecret(keys, registration)).to.equal(signingSecret(keys, { ...registration })));

  it('differs for another listener, version or master key', () => {
    const secrets = [
      registration,
      { ...registration, listenerId: nextId },
      { ...registration, secretVersion: 2 },
      { ...registration, keyGeneration: 'g2' },
    ].map((each) => signingSecret(keys, each));
    expect(new Set(secrets).size).to.equal(4);
  });

  it('cannot be derived without its master key', () =>
    expect(() => signingSecret(keys, { ...registration, keyGeneration: 'g0' })).to.throw(UnknownKeyGeneration));
});
