import { expect } from 'chai';
import { semaphore } from '../../../src/deliveries/posting/semaphore.js';
import { rejection } from '../../support/rejection.js';

describe('places', () => {
  it('runs at most the given number of calls at a time, the others in their order, also after failures', async () => {
    const limited = semaphore(2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const work = (number: number) =>
      limited(async () => {
        begun.push(number);
        await new Promise<void>((resolve) => ends.push(resolve));
        if (number === 1) throw new Error('it failed');
        return number;
      });
    const failing = rejection(work(1));
    const others = [2, 3, 4].map(work);
    expect(begun).to.deep.equal([1, 2]);
    ends[0]?.();
    expect(await failing).to.have.property('message', 'it failed');
    expect(begun).to.deep.equal([1, 2, 3]);
    ends[1]?.();
    await others[0];
    expect(begun).to.deep.equal([1, 2, 3, 4]);
    for (const end of ends) end();
    expect(await Promise.all(others)).to.deep.equal([2, 3, 4]);
    expect(await limited(async () => 5)).to.equal(5);
  });
});
