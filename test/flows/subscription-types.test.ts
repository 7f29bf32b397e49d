import { expect } from 'chai';
import fc from 'fast-check';
import { matches, namesOneType } from '../../src/flows/types/subscription-types.js';

describe('a subscription type', () => {
  const cases: [string, string, boolean, string][] = [
    ['flow.completed', 'flow.completed', true, 'the type itself'],
    ['flow.completed', 'flow.completed.late', false, 'a longer type'],
    ['flow.completed', 'flow.Completed', false, 'the type in another case'],
    ['flow.*', 'flow.completed', true, 'a type one level below'],
    ['flow.*', 'flow.a.b', true, 'a type two levels below'],
    ['flow.*', 'flow', false, 'the prefix itself'],
    ['flow.*', 'flow.', false, 'the prefix with nothing below'],
    ['flow.*', 'flows.completed', false, 'a type with a similar prefix'],
    ['flow.*', 'my.flow.completed', false, 'a type that contains the prefix later'],
    ['flow.a.*', 'flow.a.b', true, 'a type below a longer prefix'],
    ['flow.a.*', 'flow.b.a', false, 'a type outside a longer prefix'],
    ['*', 'anything.at-all', true, 'all types'],
    ['flows', 'order.paid', true, 'all types'],
    ['flow*', 'flow.completed', false, 'a type by a star without a dot before it'],
    ['*.completed', 'flow.completed', false, 'a type by a star at the front'],
    ['.', 'flow.completed', false, 'a type by a dot, which is no pattern'],
    ['', 'flow.completed', false, 'a type by an empty string'],
  ];
  for (const [subscriptionType, eventType, expected, what] of cases) {
    it(`'${subscriptionType}' ${expected ? 'selects' : 'does not select'} ${what}, '${eventType}'`, () =>
      expect(matches(subscriptionType, eventType)).to.equal(expected));
  }

  it('always selects its own type, and with a star the types below it', () =>
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (type, below) => {
        expect(matches(type, type)).to.equal(true);
        expect(matches(`${type}.*`, `${type}.${below}`)).to.equal(true);
        expect(matches('*', type) && matches('flows', type)).to.equal(true);
      }),
    ));

  it('selects one type unless it is a pattern or selects all types', () => {
    expect(['flow.completed', 'flow', 'flow.*', '*', 'flows'].filter(namesOneType)).to.deep.equal([
      'flow.completed',
      'flow',
    ]);
  });
});
