import { expect } from 'chai';
import fc from 'fast-check';
import { matches, namesOneType } from '../../src/flows/subscription-types.js';

describe('a subscription type', () => {
  const cases: [string, string, boolean, string][] = [
    ['flow.completed', 'flow.completed', true, 'the type itself'],
    ['flow.completed', 'flow.completed.late', false, 'a longer type'],
    ['flow.completed', 'flow.Completed', false, 'another spelling'],
    ['flow.*', 'flow.completed', true, 'a type right below'],
    ['flow.*', 'flow.a.b', true, 'a type further below'],
    ['flow.*', 'flow', false, 'the prefix itself'],
    ['flow.*', 'flow.', false, 'the prefix with nothing below'],
    ['flow.*', 'flows.completed', false, 'a type that begins alike'],
    ['flow.*', 'my.flow.completed', false, 'a type that holds it further on'],
    ['flow.a.*', 'flow.a.b', true, 'a type below a longer prefix'],
    ['flow.a.*', 'flow.b.a', false, 'a type beside a longer prefix'],
    ['*', 'anything.at-all', true, 'everything'],
    ['flows', 'order.paid', true, 'everything'],
    ['flow*', 'flow.completed', false, 'anything by a star that no dot precedes'],
    ['*.completed', 'flow.completed', false, 'anything by a star in front'],
    ['.', 'flow.completed', false, 'anything by a dot: it is no pattern'],
    ['', 'flow.completed', false, 'anything where it is empty'],
  ];
  for (const [subscriptionType, eventType, expected, what] of cases) {
    it(`'${subscriptionType}' ${expected ? 'gets' : 'does not get'} ${what}, '${eventType}'`, () =>
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
