import { expect } from 'chai';
import { WrongExpectedRevision } from '../../../src/stores/event-store/errors.js';
import type { ExpectedRevision } from '../../../src/stores/event-store/event-store.js';
import { rejection } from '../../support/rejection.js';
import { type ContractContext, collect, idsOf, newEvent, newEvents, newStream } from './support.js';

export function idempotencyContract({ store, openAnother }: ContractContext): void {
  describe('appending the same event ids again', () => {
    for (const expected of ['any', 'stream-exists', 0n] satisfies ExpectedRevision[]) {
      it(`gives one copy and the original place, with ${expected}`, async () => {
        const stream = newStream();
        const first = newEvent();
        const events = newEvents(2);
        await store().append(stream, [first], { expectedRevision: 'no-stream' });
        const original = await store().append(stream, events, { expectedRevision: expected });
        await store().append(stream, newEvents(1)); // others go on in the meantime

        expect(await store().append(stream, events, { expectedRevision: expected })).to.deep.equal(original);
        expect(idsOf(await collect(store().readStream(stream, { limit: 3 })))).to.deep.equal(idsOf([first, ...events]));
        expect(await collect(store().readStream(stream))).to.have.length(4);
      });
    }

    it('gives one copy and the original place, with no-stream', async () => {
      const stream = newStream();
      const events = newEvents(2);
      const original = await store().append(stream, events, { expectedRevision: 'no-stream' });
      await store().append(stream, newEvents(1), { expectedRevision: 1n });
      expect(await store().append(stream, events, { expectedRevision: 'no-stream' })).to.deep.equal(original);
      expect(await collect(store().readStream(stream))).to.have.length(3);
    });

    it('recognises ids in upper and lower case', async () => {
      const stream = newStream();
      const event = newEvent();
      const original = await store().append(stream, [event]);
      expect(await store().append(stream, [{ ...event, id: event.id.toUpperCase() }])).to.deep.equal(original);
    });

    it('gives one copy when the repetitions race', async () => {
      const stream = newStream();
      const other = await openAnother();
      const events = newEvents(3);
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? other : store()).append(stream, events)),
      );
      expect(new Set(results.map(({ position }) => position)).size).to.equal(1);
      expect(idsOf(await collect(store().readStream(stream)))).to.deep.equal(idsOf(events));
    });

    it('returns the position of the last one sent where all are known, in any order', async () => {
      const stream = newStream();
      const [first, second] = [newEvent(), newEvent()];
      const place = await store().append(stream, [first]);
      await store().append(stream, [second]);
      expect(await store().append(stream, [second, first])).to.deep.equal(place);
    });

    it('refuses an append that begins with a known event and goes on with an unknown one', async () => {
      const stream = newStream();
      const known = newEvent();
      await store().append(stream, [known]);
      const error = await rejection(store().append(stream, [known, newEvent()]));
      expect(error).to.be.instanceOf(WrongExpectedRevision).and.include({ expected: 'any', actual: 0n });
      expect(await collect(store().readStream(stream))).to.have.length(1);
    });

    it('refuses known events that the expectation would not have put where they stand', async () => {
      const stream = newStream();
      const events = newEvents(3);
      await store().append(stream, events);
      for (const [sent, expectedRevision] of [
        [events.slice(1), 'no-stream'],
        [events.slice(2), 0n],
        [[...events.slice(1), newEvent()], 0n],
      ] as const) {
        const error = await rejection(store().append(stream, sent, { expectedRevision }));
        expect(error).to.be.instanceOf(WrongExpectedRevision).and.include({ actual: 2n });
      }
    });

    it('appends a known event again where the expectation is the current revision', async () => {
      const stream = newStream();
      const event = newEvent();
      await store().append(stream, [event]);
      expect((await store().append(stream, [event], { expectedRevision: 0n })).revision).to.equal(1n);
    });

    it('does not mistake an event of another stream for a repetition', async () => {
      const event = newEvent();
      const [one, another] = [newStream(), newStream()];
      await store().append(one, [event]);
      await store().append(another, [event]);
      expect(await collect(store().readStream(another))).to.have.length(1);
    });
  });
}
