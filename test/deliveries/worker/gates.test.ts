import { expect } from 'chai';
import { permitMs, unsubscribeBarrier, workerGates } from '../../../src/deliveries/worker/gates.js';

describe('gates', () => {
  let now = 0;
  const gates = () => workerGates(() => now);
  beforeEach(() => {
    now = 1_000;
  });

  it('permit a post while they were seen open not long ago', () => {
    const known = gates();
    const seenAt = known.moment();
    now += permitMs;
    expect(known.permits('a', seenAt)).to.equal(true);
    now += 1;
    expect(known.permits('a', seenAt)).to.equal(false);
  });

  it('permit nothing that was seen open before they closed', () => {
    const known = gates();
    const seenAt = known.moment();
    known.close('a');
    expect(known.permits('a', seenAt)).to.equal(false);
    expect(known.permits('b', seenAt)).to.equal(true);
  });

  it('go on permitting nothing on it after other gates have closed, and closed ones again', () => {
    const known = gates();
    const seenAt = known.moment();
    known.close('a');
    now += permitMs / 2;
    known.close('b');
    known.close('a');
    for (; now - seenAt < 3 * permitMs; now += 10) {
      known.close('c');
      expect(known.permits('a', seenAt)).to.equal(false);
    }
  });

  it('close again once the queue has closed them, so that no permit from in between remains', async () => {
    const known = gates();
    let taken = 0;
    const barrier = unsubscribeBarrier(
      known,
      {
        withdraw: async () => {
          now += 5;
          taken = known.moment();
          expect(known.permits('a', taken)).to.equal(true);
          now += 5;
          return 0;
        },
      },
      false,
    );
    await barrier.close('a');
    expect(known.permits('a', taken)).to.equal(false);
  });

  it('wait for the permits of other instances to run out', async () => {
    const began = performance.now();
    await unsubscribeBarrier(workerGates(), { withdraw: async () => 0 }, true).close('a');
    expect(performance.now() - began).to.be.greaterThan(permitMs);
  });
});
