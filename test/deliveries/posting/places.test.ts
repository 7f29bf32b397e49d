import { expect } from 'chai';
import { places } from '../../../src/deliveries/posting/places.js';
import { rejection } from '../../support/rejection.js';

describe('places', () => {
  it('are taken by so many at a time, and then in turn, also where what was done failed', async () => {
    const inPlace = places(2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const work = (number: number) =>
      inPlace(async () => {
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
    expect(await inPlace(async () => 5)).to.equal(5);
  });
});
