import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { type ContractContext, newEvents, newStream } from './support.js';

/** The last of the contract: readers of all events have to read these too. */
export function memoryContract({ store }: ContractContext): void {
  it('needs no more memory to read 2,500 events than for a few', async () => {
    const long = newStream();
    const text = 'x'.repeat(5_000);
    for (let count = 0; count < 2_500; count += 100) {
      await store().append(
        long,
        newEvents(100).map((event) => ({ ...event, data: { text, id: event.id } })),
      );
    }
    let next = 0n;
    const heap: number[] = [];
    for await (const { revision } of store().readStream(long)) {
      expect(revision).to.equal(next);
      next += 1n;
      if (next % 500n === 250n) heap.push(usedHeapBytes());
    }
    expect(next).to.equal(2_500n);
    expect(Math.max(...heap) - Math.min(...heap)).to.be.below(5 * 1_048_576); // all of them are 12 MB
  });
}

function usedHeapBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
