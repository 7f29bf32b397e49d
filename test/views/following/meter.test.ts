import { expect } from 'chai';
import { meter } from '../../../src/views/following/followed-view.js';

describe('the rate of a view', () => {
  it('is the average per second over the last ten, and zero once no events come', () => {
    let now = 0;
    const { count, perSecond } = meter(() => now);
    expect(perSecond()).to.equal(0);
    for (; now < 20_000; now += 100) count(5);
    expect(perSecond()).to.be.within(45, 55);
    now += 5_000;
    expect(perSecond()).to.be.within(20, 30);
    now += 10_000;
    expect(perSecond()).to.equal(0);
  });
});
