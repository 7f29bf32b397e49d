import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { StreamNotFound, WrongExpectedRevision } from '../../../src/stores/event-store/errors.js';
import { rejection } from '../../support/rejection.js';
import {
  type ContractContext,
  collect,
  collectUntil,
  idsOf,
  newCategory,
  newEvent,
  newEvents,
  newStream,
} from './support.js';

export function deletingContract({ store, openAnother }: ContractContext): void {
  describe('deleting a stream', () => {
    it('removes the stream, and no other', async () => {
      const category = newCategory();
      const [gone, kept] = [newStream(category), newStream(category)];
      const events = newEvents(2);
      await store().append(gone, newEvents(3));
      await store().append(kept, events);
      await store().deleteStream(gone);
      expect(await rejection(collect(store().readStream(gone)))).to.be.instanceOf(StreamNotFound);
      expect(idsOf(await collect(store().readStream(kept)))).to.deep.equal(idsOf(events));
    });

    it('changes nothing where there is no such stream, or none any more', async () => {
      const stream = newStream();
      await store().deleteStream(stream);
      await store().append(stream, newEvents(1));
      await store().deleteStream(stream, { expectedRevision: 0n });
      await store().deleteStream(stream, { expectedRevision: 0n });
      await store().deleteStream(stream);
      expect(await rejection(collect(store().readStream(stream)))).to.be.instanceOf(StreamNotFound);
    });

    it('is refused at another revision than expected', async () => {
      const stream = newStream();
      await store().append(stream, newEvents(2));
      const error = await rejection(store().deleteStream(stream, { expectedRevision: 0n }));
      expect(error).to.be.instanceOf(WrongExpectedRevision).and.include({ expected: 0n, actual: 1n });
      expect(await collect(store().readStream(stream))).to.have.length(2);
      await store().deleteStream(stream, { expectedRevision: 1n });
    });

    it('lets the stream be created again, at positions that were never used', async () => {
      const stream = newStream();
      const before = await store().append(stream, newEvents(2));
      await store().deleteStream(stream);
      expect(
        await rejection(store().append(stream, [newEvent()], { expectedRevision: 'stream-exists' })),
      ).to.be.instanceOf(WrongExpectedRevision);
      const event = newEvent();
      const { revision, position } = await store().append(stream, [event], { expectedRevision: 'no-stream' });
      expect(position > before.position).to.equal(true);
      const [again, ...more] = await collect(store().readStream(stream));
      expect(again).to.include({ id: event.id, revision, position });
      expect(more).to.deep.equal([]);
    });

    it('never takes the head back', async () => {
      const stream = newStream();
      const { position } = await store().append(stream, newEvents(2));
      await store().deleteStream(stream);
      expect((await store().head()) >= position).to.equal(true);
    });

    it('lets subscriptions go on, from before it and from positions of what it has deleted', async () => {
      const category = newCategory();
      const [gone, kept] = [newStream(category), newStream(category)];
      const first = newEvent();
      const last = newEvent();
      const { position: start } = await store().append(kept, [first]);
      const { position } = await store().append(gone, newEvents(2));
      await store().deleteStream(gone);
      await store().append(kept, [last]);
      for (const from of [start, position]) {
        const batches = store().subscribe({ from, filter: { categories: [category] } });
        const events = await collectUntil(batches, (found) => found.some(({ id }) => id === last.id));
        expect(idsOf(events.filter(({ stream }) => stream === kept))).to.deep.equal([last.id]);
      }
    });

    it('is seen by other clients at once, and many may be deleted side by side', async () => {
      const other = await openAnother();
      const streams = Array.from({ length: 20 }, () => newStream());
      await Promise.all(streams.map((stream) => store().append(stream, newEvents(2))));
      await Promise.all(streams.map((stream, index) => (index % 2 ? other : store()).deleteStream(stream)));
      for (const stream of streams) {
        expect(await rejection(collect(other.readStream(stream)))).to.be.instanceOf(StreamNotFound);
      }
    });

    it('is refused once the store is closed', async () => {
      const other = await openAnother();
      await other.close();
      expect(await rejection(other.deleteStream(newStream()))).to.be.instanceOf(StoreUnavailable);
    });
  });
}
