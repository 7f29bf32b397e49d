import { expect } from 'chai';
import { UnknownKeyGeneration } from '../../src/access/errors.js';
import { masterKeys } from '../../src/access/keys/master-keys.js';
import { signingSecret } from '../../src/listeners/signing-secret.js';
import { firstId, nextId, secretOf } from './fixtures.js';

const keys = masterKeys(
  new Map([
    ['g2', Buffer.alloc(32, 2)],
    ['g1', Buffer.alloc(32, 1)],
  ]),
);

describe("a listener's signing secret", () => {
  it('is 32 bytes in the format of Standard Webhooks', () => {
    const secret = signingSecret(keys, firstId, secretOf(1));
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).to.have.length(32);
  });

  it('is the same each time it is derived', () =>
    expect(signingSecret(keys, firstId, secretOf(1))).to.equal(signingSecret(keys, firstId, secretOf(1))));

  it('differs for another listener, version or master key', () => {
    const secrets = [
      signingSecret(keys, firstId, secretOf(1)),
      signingSecret(keys, nextId, secretOf(1)),
      signingSecret(keys, firstId, secretOf(2)),
      signingSecret(keys, firstId, secretOf(1, { keyGeneration: 'g2' })),
    ];
    expect(new Set(secrets).size).to.equal(4);
  });

  it('cannot be derived without its master key', () =>
    expect(() => signingSecret(keys, firstId, secretOf(1, { keyGeneration: 'g0' }))).to.throw(UnknownKeyGeneration));
});
