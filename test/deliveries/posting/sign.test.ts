import { expect } from 'chai';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { signature, signingKey } from '../../../src/deliveries/worker/signed-headers.js';

describe('signing', () => {
  it('gives the signature that Standard Webhooks has recorded', () => {
    const signed = signature(signingKey('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'), {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: 1614265330,
      body: '{"test": 2432232314}',
    });
    expect(signed).to.equal('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
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
