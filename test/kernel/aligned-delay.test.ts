import { expect } from 'chai';
import fc from 'fast-check';
import { alignedDelay } from '../../src/kernel/aligned-delay.js';

describe('an aligned delay', () => {
  const aligned = fc.constantFrom(250, 500, 750, 1_000, 1_500, 3_000, 5_000);

  it('of whole quarters of a second ends on the same moments as the others, at most 50 ms late', () => {
    fc.assert(
      fc.property(aligned, fc.double({ min: 0, max: 10_000, noNaN: true }), (delayMs, agoMs) => {
        const before = performance.now();
        const from = before - agoMs;
        const delay = alignedDelay(delayMs, from);
        const end = Date.now() + delay;
        const gridMs = [1_000, 500, 250].find((each) => delayMs % each === 0) ?? Number.NaN;
        if (delay > 0) expect(end % gridMs).to.be.at.most(performance.now() - before + 1); // the time of the call
        expect(delay).to.be.at.most(Math.max(0, from + delayMs - before) + 51);
        expect(delay).to.be.at.least(Math.max(0, from + delayMs - performance.now() - gridMs));
      }),
    );
  });

  it('of another length is kept', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }).filter((ms) => ms % 250 !== 0),
        (delayMs) => {
          const from = performance.now();
          const delay = alignedDelay(delayMs, from);
          expect(delay).to.be.within(Math.max(0, from + delayMs - performance.now()), delayMs + 1);
        },
      ),
    );
  });

  it('that is over is none', () => {
    expect(alignedDelay(1_000, performance.now() - 5_000)).to.equal(0);
    expect(alignedDelay(0)).to.equal(0);
    expect(alignedDelay(-1)).to.equal(0);
  });
});
