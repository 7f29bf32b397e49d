import { createPublicKey, sign, verify } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { signature, signingKey } from '../../../src/deliveries/worker/signed-headers.js';
import { privateKeyOf, publicKeyText } from '../../../src/listeners/signing-secret.js';

describe('signing', () => {
  it('gives the signature that Standard Webhooks has recorded', () => {
    const signed = signature(signingKey('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'), {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: 1614265330,
      body: '{"test": 2432232314}',
    });
    expect(signed).to.equal('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('uses a private key as RFC 8032 does, and signs what Standard Webhooks says', () => {
    // RFC 8032, section 7.1, test 2, whose message is the byte 72.
    const key = privateKeyOf(Buffer.from('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb', 'hex'));
    const publicKey = '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c';
    expect(publicKeyText(key)).to.equal(`whpk_${Buffer.from(publicKey, 'hex').toString('base64')}`);
    const recorded =
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00';
    expect(sign(null, Buffer.from('72', 'hex'), key).toString('hex')).to.equal(recorded);

    const [version, encoded = ''] = signature(key, { id: 'msg_1', timestamp: 1614265330, body: 'é' }).split(',');
    expect(version).to.equal('v1a');
    const x = Buffer.from(publicKey, 'hex').toString('base64url');
    const receivers = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
    const content = Buffer.from('msg_1.1614265330.é');
    expect(verify(null, content, receivers, Buffer.from(encoded, 'base64'))).to.equal(true);
  });

  it('satisfies the official library, for any content', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.uuid(),
        fc.json({ noUnicodeString: false }),
        (key, id, body) => {
          const secret = `whsec_${Buffer.from(key).toString('base64')}`;
          const timestamp = Math.floor(Date.now() / 1000);
          const headers = {
            'webhook-id': id,
            'webhook-timestamp': String(timestamp),
            'webhook-signature': signature(signingKey(secret), { id, timestamp, body }),
          };
          expect(new Webhook(secret).verify(body, headers)).to.deep.equal(JSON.parse(body));
        },
      ),
    );
  });
});
