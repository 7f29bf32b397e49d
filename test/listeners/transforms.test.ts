import { expect } from 'chai';
import { InvalidRequest } from '../../src/kernel/domain-error.js';
import { transformText } from '../../src/listeners/transforms/transform-text.js';
import { rejection } from '../support/rejection.js';

describe('the transformation of a subscription', () => {
  it('is stored as it was sent', async () =>
    expect(await transformText('{"id": id, "amount": data.amount}')).to.equal('{"id": id, "amount": data.amount}'));

  it('is none if it is null, missing or empty', async () => {
    for (const none of [null, undefined, '', '  ']) expect(await transformText(none)).to.equal(null);
  });

  for (const [what, expression, message] of [
    ['an incomplete object', '{"id": id', /^transform: at character \d+: Expected/],
    ['an unknown operator', 'data..', /^transform: at character \d+: /],
    ['its size', `"${'ä'.repeat(2_100)}"`, /^transform: must have at most 4096 bytes$/],
    ['nesting that overflows the stack', '('.repeat(4_000), /^transform: /],
  ] as const) {
    it(`is refused for ${what}, with the place`, async () => {
      const error = await rejection(transformText(expression));
      expect(error).to.be.instanceOf(InvalidRequest).with.property('message').that.matches(message);
    });
  }
});
