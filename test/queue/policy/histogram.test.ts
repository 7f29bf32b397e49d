import { expect } from 'chai';
import fc from 'fast-check';
import { bucketBoundsMs, histogramOf, noDurations, percentile } from '../../../src/queue/policy/activity.js';

describe('a histogram of durations', () => {
  it('tells no percentile of no durations', () => {
    expect(percentile(noDurations, 0.5)).to.equal(undefined);
    expect(histogramOf([])).to.deep.equal(noDurations);
  });

  it('tells a percentile in the bucket of the duration that it is about', () => {
    const durations = fc.array(fc.integer({ min: 0, max: 300_000 }), { minLength: 1, maxLength: 50 });
    const property = fc.property(durations, fc.constantFrom(0.5, 0.95, 0.99, 1), (all, share) => {
      const exact = [...all].sort((one, other) => one - other)[Math.ceil(share * all.length) - 1] ?? 0;
      const to = bucketBoundsMs.find((bound) => exact <= bound) ?? 0;
      const from = bucketBoundsMs[bucketBoundsMs.indexOf(to) - 1] ?? 0;
      expect(percentile(histogramOf(all), share)).to.be.within(from, to);
    });
    fc.assert(property);
  });

  it('goes linearly through a bucket', () => {
    const tenOf = histogramOf(Array.from({ length: 10 }, () => 80));
    expect(percentile(tenOf, 0.5)).to.equal(75);
    expect(percentile(tenOf, 1)).to.equal(100);
  });

  it('returns the last bound for values beyond it', () => {
    expect(percentile(histogramOf([900_000]), 0.5)).to.equal(300_000);
  });
});
