import { expect } from 'chai';
import { StreamNotFound } from '../../../src/stores/event-store/errors.js';
import { rejection } from '../../support/rejection.js';
import { type ContractContext, collect, newEvent, newEvents, newStream, revisionsOf } from './support.js';

export function readingContract({ store }: ContractContext): void {
  describe('reading a stream', () => {
    let stream: string;

    before(async () => {
      stream = newStream();
      await store().append(stream, newEvents(5));
    });

    const revisions = async (range: Parameters<ReturnType<typeof store>['readStream']>[1]) =>
      revisionsOf(await collect(store().readStream(stream, range)));

    it('goes forwards from a revision, that one included', async () => {
      expect(await revisions({})).to.deep.equal([0n, 1n, 2n, 3n, 4n]);
      expect(await revisions({ from: 3n })).to.deep.equal([3n, 4n]);
      expect(await revisions({ from: 1n, limit: 2 })).to.deep.equal([1n, 2n]);
    });

    it('goes backwards from a revision, or from the last', async () => {
      expect(await revisions({ direction: 'backwards' })).to.deep.equal([4n, 3n, 2n, 1n, 0n]);
      expect(await revisions({ direction: 'backwards', from: 1n })).to.deep.equal([1n, 0n]);
      expect(await revisions({ direction: 'backwards', limit: 1 })).to.deep.equal([4n]);
      expect(await revisions({ direction: 'backwards', from: 99n, limit: 1 })).to.deep.equal([4n]);
    });

    it('tells a stream that does not exist from a range without events', async () => {
      const missing = newStream();
      for (const range of [{}, { from: 5n }, { direction: 'backwards' }, { limit: 0 }] as const) {
        const error = await rejection(collect(store().readStream(missing, range)));
        expect(error).to.be.instanceOf(StreamNotFound).and.include({ stream: missing });
      }
      expect(await revisions({ from: 5n })).to.deep.equal([]);
      expect(await revisions({ limit: 0 })).to.deep.equal([]);
    });

    it('releases what it holds when it is abandoned', async () => {
      for (let count = 0; count < 300; count += 1) {
        for await (const event of store().readStream(stream)) {
          expect(event.revision).to.equal(0n);
          break;
        }
      }
      expect(await revisions({ limit: 1 })).to.deep.equal([0n]);
      expect((await store().append(newStream(), [newEvent()])).revision).to.equal(0n);
    });

    it('does not hold up appends while it waits for its reader', async () => {
      const busy = newStream();
      await store().append(busy, newEvents(3));
      for await (const event of store().readStream(busy, { limit: 3 })) {
        const { revision } = await store().append(busy, [newEvent()]);
        expect(revision).to.equal(event.revision + 3n);
      }
    });
  });
}
