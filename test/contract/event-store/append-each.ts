import { expect } from 'chai';
import { AppendTooLarge } from '../../../src/stores/event-store/errors.js';
import { maxAppendBytes } from '../../../src/stores/event-store/event-store.js';
import { rejection } from '../../support/rejection.js';
import { type ContractContext, collect, idsOf, newCategory, newEvent, newEvents, newStream } from './support.js';

export function appendEachContract({ store, openAnother }: ContractContext): void {
  const inStream = async (stream: string) => idsOf(await collect(store().readStream(stream)));
  const starting = (stream: string, event = newEvent()) => ({ stream, event, startsStream: true });
  const continuing = (stream: string, event = newEvent()) => ({ stream, event, startsStream: false });

  describe('appending each of many events to its stream', () => {
    it('appends to as many streams as there are, each event once', async () => {
      const category = newCategory();
      const events = newEvents(200).map((event) => starting(newStream(category), event));
      await store().appendEach(events);
      const all = await collect(store().readAll({ filter: { categories: [category] } }));
      expect(new Set(idsOf(all))).to.deep.equal(new Set(events.map(({ event }) => event.id)));
      expect(all).to.have.length(200);
    });

    it('keeps the order within a stream', async () => {
      const stream = newStream();
      const events = newEvents(20);
      await store().appendEach(
        events.map((event, index) => (index === 0 ? starting(stream, event) : continuing(stream, event))),
      );
      expect(await inStream(stream)).to.deep.equal(idsOf(events));
    });

    it('adds events to a stream that others have begun, also one that was thought to begin it', async () => {
      const stream = newStream();
      const [first, ...later] = newEvents(3);
      await store().append(stream, first ? [first] : []);
      await store().appendEach(later.map((event, index) => ({ stream, event, startsStream: index === 0 })));
      expect(await inStream(stream)).to.deep.equal(idsOf(first ? [first, ...later] : later));
    });

    it('completes a part of itself: an event that its stream has is not written again', async () => {
      const streams = Array.from({ length: 30 }, () => newStream());
      const events = streams.flatMap((stream) => [starting(stream), continuing(stream)]);
      await store().appendEach(events.filter((_, index) => index % 3 === 0));
      await store().appendEach(events);
      await store().appendEach(events);
      for (const stream of streams) expect(await inStream(stream)).to.have.length(2);
    });

    it('returns the events that their streams had, with their revisions', async () => {
      const [first, second, third] = [starting(newStream()), starting(newStream()), starting(newStream())];
      const later = continuing(first.stream);
      const knownOf = ({ stream, event: { id } }: typeof first, revision: bigint) => ({ id, stream, revision });
      expect(await store().appendEach([first, later, second])).to.deep.equal([]);
      expect(await store().appendEach([later, third])).to.deep.equal([knownOf(later, 1n)]);
      expect(await store().appendEach([first, third])).to.have.deep.members([knownOf(first, 0n), knownOf(third, 0n)]);
    });

    it('writes each once when repetitions race', async () => {
      const other = await openAnother();
      const streams = Array.from({ length: 10 }, () => newStream());
      const events = streams.map((stream) => starting(stream));
      await Promise.all([store(), other, store(), other].map((each) => each.appendEach(events)));
      for (const stream of streams) expect(await inStream(stream)).to.have.length(1);
    });

    it('writes none where one is too large', async () => {
      const stream = newStream();
      const tooLarge = newEvent({ text: 'x'.repeat(maxAppendBytes) });
      const error = await rejection(store().appendEach([starting(stream), starting(newStream(), tooLarge)]));
      expect(error).to.be.instanceOf(AppendTooLarge);
      expect(await rejection(inStream(stream))).to.have.property('name', 'StreamNotFound');
    });

    it('does nothing without events', async () => {
      const before = await store().head();
      await store().appendEach([]);
      expect(await store().head()).to.equal(before);
    });
  });
}
