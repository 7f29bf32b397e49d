import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { copiedEvent } from '../../src/store-copy/copied-event.js';
import { type Run, runsOf } from '../../src/store-copy/copy-events.js';
import type { RecordedEvent } from '../../src/stores/event-store/event-store.js';
import { serialise } from '../../src/stores/event-store/serialise.js';

const sizes = fc.oneof({ weight: 9, arbitrary: fc.constant(10) }, fc.integer({ min: 300_000, max: 650_000 }));
const histories = fc.array(fc.record({ stream: fc.constantFrom('a-1', 'b-1', 'b-2'), size: sizes }), {
  maxLength: 100,
});

async function runs(history: readonly { stream: string; size: number }[]): Promise<readonly Run[]> {
  async function* events(): AsyncGenerator<RecordedEvent> {
    for (const [index, { stream, size }] of history.entries()) {
      const common = { id: randomUUID(), type: 't', created: new Date(0), revision: 0n };
      const [data, metadata] = [{ text: 'x'.repeat(size) }, { text: 'x'.repeat(size / 2) }];
      yield { ...common, stream, position: BigInt(index), data, metadata };
    }
  }
  const all: Run[] = [];
  for await (const run of runsOf(events())) all.push(run);
  return all;
}

describe('runs of events', () => {
  it('are the history in its order, each of one stream and no larger than an append may be', () =>
    fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const all = await runs(history);
        expect(all.flat().map(({ position }) => Number(position))).to.eql(history.map((_, index) => index));
        for (const run of all) {
          expect(new Set(run.map(({ stream }) => stream)).size).to.equal(1);
          expect(() => serialise('a-1', run.map(copiedEvent))).not.to.throw();
        }
      }),
      { numRuns: 30 },
    ));

  it('combine consecutive events of a stream into one append', async () => {
    const small = (stream: string, count: number) => Array.from({ length: count }, () => ({ stream, size: 1 }));
    const all = await runs([...small('a-1', 3), ...small('b-1', 2), ...small('a-1', 33)]);
    expect(all.map(({ length }) => length)).to.eql([3, 2, 32, 1]);
  });
});
