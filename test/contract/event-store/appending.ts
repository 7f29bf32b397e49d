import { expect } from 'chai';
import { WrongExpectedRevision } from '../../../src/stores/event-store/errors.js';
import type { ExpectedRevision } from '../../../src/stores/event-store/event-store.js';
import { rejection } from '../../support/rejection.js';
import { type ContractContext, collect, idsOf, newEvent, newEvents, newStream, revisionsOf } from './support.js';

export function appendingContract({ store, openAnother }: ContractContext): void {
  describe('appending', () => {
    it('begins a new stream at revision 0', async () => {
      const { revision } = await store().append(newStream(), [newEvent()], { expectedRevision: 'no-stream' });
      expect(revision).to.equal(0n);
    });

    it('puts the events of one append one after the other, and answers with the place of the last', async () => {
      const stream = newStream();
      await store().append(stream, newEvents(2));
      const events = newEvents(3);
      const result = await store().append(stream, events, { expectedRevision: 1n });

      const recorded = (await collect(store().readStream(stream))).slice(2);
      expect(idsOf(recorded)).to.deep.equal(idsOf(events));
      expect(revisionsOf(recorded)).to.deep.equal([2n, 3n, 4n]);
      expect(result).to.deep.equal({ revision: 4n, position: recorded.at(-1)?.position });
    });

    it('keeps type, data, metadata, correlation and time of recording', async () => {
      const stream = newStream();
      const event = newEvent(
        { text: 'a', number: 1.5, nested: { list: [1, null, false, []] }, empty: {} },
        { $correlationId: 'c-1', $causationId: 'c-0', actor: 'user:1', traceparent: '00-1-2-00' },
      );
      const before = Date.now();
      await store().append(stream, [event]);
      const [recorded] = await collect(store().readStream(stream));

      expect(recorded).to.deep.include({ ...event, stream, revision: 0n });
      expect(recorded?.created.getTime()).to.be.within(before - 60_000, Date.now() + 60_000); // a server has its own clock
    });

    it('appends all of several events or none', async () => {
      const stream = newStream();
      await store().append(stream, newEvents(1));
      await rejection(store().append(stream, newEvents(3), { expectedRevision: 'no-stream' }));
      expect(await collect(store().readStream(stream))).to.have.length(1);
    });

    it('answers an empty append with the current revision, and creates no stream', async () => {
      const stream = newStream();
      for (const expectedRevision of ['any', 'no-stream'] as const) {
        expect(await store().append(stream, [], { expectedRevision })).to.deep.equal({ revision: -1n, position: -1n });
      }
      expect(
        await rejection(store().append(stream, [newEvent()], { expectedRevision: 'stream-exists' })),
      ).to.be.instanceOf(WrongExpectedRevision);
      const last = await store().append(stream, newEvents(2), { expectedRevision: 'no-stream' });
      expect(await store().append(stream, [], { expectedRevision: 1n })).to.deep.equal(last);
    });

    for (const { expected, length, actual } of [
      { expected: 'no-stream', length: 2, actual: 1n },
      { expected: 'stream-exists', length: 0, actual: 'no-stream' },
      { expected: 0n, length: 0, actual: 'no-stream' },
      { expected: 0n, length: 2, actual: 1n },
      { expected: 2n, length: 2, actual: 1n },
    ] satisfies { expected: ExpectedRevision; length: number; actual: bigint | 'no-stream' }[]) {
      it(`refuses ${expected} where ${length} events are, and reports ${actual}`, async () => {
        const stream = newStream();
        await store().append(stream, newEvents(length));
        for (const events of [[newEvent()], []]) {
          const error = await rejection(store().append(stream, events, { expectedRevision: expected }));
          expect(error).to.be.instanceOf(WrongExpectedRevision).and.include({ stream, expected, actual });
        }
      });
    }

    it('lets one of 50 concurrent appends at a revision win, and reports the current revision to the others', async () => {
      const stream = newStream();
      await store().append(stream, newEvents(1));
      const racers = Array.from({ length: 50 }, () => newEvent());
      const outcomes = await Promise.allSettled(
        racers.map((event) => store().append(stream, [event], { expectedRevision: 0n })),
      );

      const winners = racers.filter((_, index) => outcomes[index]?.status === 'fulfilled');
      expect(winners).to.have.length(1);
      expect(idsOf(await collect(store().readStream(stream, { from: 1n })))).to.deep.equal(idsOf(winners));
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue;
        expect(outcome.reason).to.be.instanceOf(WrongExpectedRevision).and.include({ actual: 1n });
      }
    });

    it('keeps the order of appends to one stream that are sent without waiting', async () => {
      const stream = newStream();
      const events = newEvents(100);
      const results = await Promise.all(events.map((event) => store().append(stream, [event])));
      expect(results.map(({ revision }) => revision)).to.deep.equal(events.map((_, index) => BigInt(index)));
      expect(idsOf(await collect(store().readStream(stream)))).to.deep.equal(idsOf(events));
    });

    it('shows an append to other clients as soon as it is acknowledged', async () => {
      const other = await openAnother();
      const stream = newStream();
      const events = newEvents(2);
      await store().append(stream, events);
      expect(idsOf(await collect(other.readStream(stream)))).to.deep.equal(idsOf(events));
      await other.append(stream, newEvents(1), { expectedRevision: 1n });
      expect(await collect(store().readStream(stream))).to.have.length(3);
    });
  });
}
