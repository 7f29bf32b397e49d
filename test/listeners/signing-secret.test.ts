import { expect } from 'chai';
import { UnknownKeyGeneration } from '../../src/access/errors.js';
import { masterKeys } from '../../src/access/keys/master-keys.js';
import { signingSecret } from '../../src/listeners/signing-secret.js';
import { firstId, nextId } from './fixtures.js';

const keys = masterKeys(
  new Map([
    ['g2', Buffer.alloc(32, 2)],
    ['g1', Buffer.alloc(32, 1)],
  ]),
);
const details = { listenerId: firstId, keyGeneration: 'g1', secretVersion: 1 };

describe("a listener's signing secret", () => {
  it('is 32 bytes in the format of Standard Webhooks', () => {
    const secret = signingSecret(keys, details);
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).to.have.length(32);
  });

  it('is the same each time it is derived', () =>
    expect(signingSecret(keys, details)).to.equal(signingSecret(keys, { ...details })));

  it('differs for another listener, version or master key', () => {
    const secrets = [
      details,
      { ...details, listenerId: nextId },
      { ...details, secretVersion: 2 },
      { ...details, keyGeneration: 'g2' },
    ].map((each) => signingSecret(keys, each));
    expect(new Set(secrets).size).to.equal(4);
  });

  it('cannot be derived without its master key', () =>
    expect(() => signingSecret(keys, { ...details, keyGeneration: 'g0' })).to.throw(UnknownKeyGeneration));
});
