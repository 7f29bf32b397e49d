import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { timeSlice } from '../../src/kernel/time-slice.js';

describe('the time slices of computations on one thread', () => {
  it('let one computation continue in each turn of the event loop, for 25 ms, however many there are', async () => {
    let nowMs = 0;
    /** Names of the computations that took a step, by turn of the event loop. */
    const steps: string[][] = [[]];

    async function compute(_: unknown, index: number): Promise<void> {
      const slice = timeSlice(() => nowMs);
      await slice.next();
      for (let step = 0; step < 12; step += 1) {
        if (slice.hasEnded()) await slice.next();
        steps.at(-1)?.push(`computation ${index}`);
        nowMs += 10;
      }
    }
    let isOver = false;
    const computed = Promise.all(Array.from({ length: 10 }, compute)).then(() => {
      isOver = true;
    });
    while (!isOver) {
      await nextTurn();
      steps.push([]);
    }
    await computed;
    const turns = steps.filter((inTurn) => inTurn.length > 0);
    expect(turns).to.have.length(40);
    for (const inTurn of turns) expect(inTurn).to.deep.equal(Array(3).fill(inTurn[0]));
  });
});
