import { StreamNotFoundError } from '@eventstore/db-client';
import { expect } from 'chai';
import { StreamNotFound } from '../../../../src/stores/event-store/errors.js';
import { erasureMark } from '../../../../src/stores/event-store/eventstoredb/reading/recorded-event.js';
import { collect } from '../../../contract/event-store/support.js';
import { rejection } from '../../../support/rejection.js';
import {
  heldBy,
  leftAfterScavenge,
  newEvent,
  newEvents,
  newStream,
  patient,
  type StoreOnDouble,
  storeOnDouble,
} from './support.js';

const mark = '$StreamErased';

describe('a stream of EventStoreDB whose deletion was cut short', () => {
  let on: StoreOnDouble;
  let stream: string;

  beforeEach(async () => {
    on = await storeOnDouble(patient, { version: '24.10' });
    stream = newStream('flow');
  });
  afterEach(() => on.close());

  const held = () => heldBy(on.double, stream);
  const left = () => leftAfterScavenge(on.double, stream);

  /** Deletes as a process does that dies after the event without data. */
  async function cutShort(): Promise<void> {
    await on.store.append(stream, newEvents(2));
    await on.client.deleteStream(stream);
    await on.client.appendToStream(stream, erasureMark(stream, 1n), { expectedRevision: 1n });
  }

  const eventsIn = (name: string, range = {}) => collect(on.store.readStream(name, range));

  describe('behind the mark', () => {
    beforeEach(cutShort);

    it('does not exist for readers', async () => {
      for (const range of [{}, { direction: 'backwards' }, { limit: 1 }, { limit: 0 }, { from: 0n }]) {
        expect(
          await rejection(eventsIn(stream, range)),
          `limit ${'limit' in range ? range.limit : 'none'}`,
        ).to.be.instanceOf(StreamNotFound);
      }
      expect(left()).to.deep.equal([`${mark} 2`]);
    });

    it('may begin again, and what it then holds is all that readers are given', async () => {
      const events = newEvents(2);
      await on.store.append(stream, events, { expectedRevision: 'no-stream' });
      await rejection(on.store.append(stream, [newEvent()], { expectedRevision: 'no-stream' }));
      expect((await eventsIn(stream)).map(({ id }) => id)).to.deep.equal(events.map(({ id }) => id));
    });

    it('may be begun again by a producer who asks for nothing: each range is without the mark', async () => {
      const events = newEvents(3);
      await on.client.appendToStream(
        stream,
        events.map((event) => ({ ...event, contentType: 'application/json' as const })),
      );
      const [first, second, third] = events.map(({ id }) => id);
      const ids = async (range: object) => (await eventsIn(stream, range)).map(({ id }) => id);
      expect(await ids({})).to.deep.equal([first, second, third]);
      expect(await ids({ limit: 1 })).to.deep.equal([first]);
      expect(await ids({ limit: 2 })).to.deep.equal([first, second]);
      expect(await ids({ from: 4n })).to.deep.equal([second, third]);
      expect(await ids({ direction: 'backwards' })).to.deep.equal([third, second, first]);
      expect(await ids({ direction: 'backwards', limit: 1 })).to.deep.equal([third]);
      expect(await ids({ direction: 'backwards', from: 2n })).to.deep.equal([]);
      expect(await ids({ limit: 0 })).to.deep.equal([]);
      expect(await on.store.finishDeletion(stream, 1n)).to.equal(false);
      expect(await ids({})).to.deep.equal([first, second, third]);
    });

    for (const [how, finish] of [
      ['deleted once more', () => on.store.deleteStream(stream, { expectedRevision: 1n })],
      ['looked at', () => on.store.finishDeletion(stream, 1n)],
    ] as const) {
      it(`is gone for the server too once it is ${how}`, async () => {
        await finish();
        expect(await rejection(collect(on.client.readStream(stream)))).to.be.instanceOf(StreamNotFoundError);
        expect(left()).to.deep.equal([`${mark} 2`]);
      });
    }
  });

  describe('before the mark', () => {
    it('gets it when it is looked at, once', async () => {
      await on.store.append(stream, newEvents(3));
      await on.client.deleteStream(stream);
      expect(left()).to.deep.equal(['SomethingHappened 2']);
      expect(await on.store.finishDeletion(stream, 2n)).to.equal(true);
      expect(left()).to.deep.equal([`${mark} 3`]);
      const { length } = on.double.everyEvent();
      expect(await on.store.finishDeletion(stream, 2n)).to.equal(false);
      expect(on.double.everyEvent()).to.have.length(length);
    });

    it('gets none for an event that is not its last', async () => {
      await on.store.append(stream, newEvents(3));
      await on.client.deleteStream(stream);
      for (const revision of [0n, 1n, 5n]) expect(await on.store.finishDeletion(stream, revision)).to.equal(false);
      expect(held()).to.have.length(3);
    });

    it('gets none where it has begun again, was never there or has a tombstone', async () => {
      await on.store.append(stream, newEvents(1));
      expect(await on.store.finishDeletion(stream, 0n)).to.equal(false);
      await on.client.deleteStream(stream);
      await on.store.append(stream, newEvents(1));
      for (const revision of [0n, 1n]) expect(await on.store.finishDeletion(stream, revision)).to.equal(false);
      expect(await eventsIn(stream)).to.have.length(1);
      expect(await on.store.finishDeletion(newStream('flow'), 0n)).to.equal(false);
      await on.client.tombstoneStream(stream);
      expect(await on.store.finishDeletion(stream, 1n)).to.equal(false);
    });
  });
});
