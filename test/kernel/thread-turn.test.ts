import { expect } from 'chai';
import { threadTurn } from '../../src/kernel/thread-turn.js';
import { longestBlock } from '../support/longest-block.js';

function keepThread(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('the turns of computations on one thread', () => {
  async function compute(): Promise<void> {
    const turn = threadTurn();
    await turn.next();
    for (let step = 0; step < 12; step += 1) {
      if (turn.isOver()) await turn.next();
      keepThread(10);
    }
  }

  it('keep other work waiting for one of them at a time, however many there are', async () => {
    const { tookMs, longestMs } = await longestBlock(() => Promise.all(Array.from({ length: 10 }, compute)));
    expect(tookMs).to.be.above(1_000);
    expect(longestMs).to.be.below(200); // 300 where all ten continue in the same turn
  });
});
