import { expect } from 'chai';
import { StoreUnusable, StreamNotFound, WrongExpectedRevision } from '../../../src/event-store/errors.js';
import { rejection } from '../../support/rejection.js';
import { eventsOf, newEvent, newEvents, newStream, type StoreOnDouble, storeOnDouble } from './support.js';

describe('a stream that was deleted in EventStoreDB', () => {
  let on: StoreOnDouble;
  let stream: string;
  const events = newEvents(3);

  beforeEach(async () => {
    on = await storeOnDouble();
    stream = newStream();
    await on.store.append(stream, events);
  });

  afterEach(() => on.close());

  const firstOf = (name: string) => on.store.readStream(name)[Symbol.asyncIterator]().next();

  it('does not exist, and goes on where it was once something is appended', async () => {
    await on.client.deleteStream(stream);
    expect(await rejection(firstOf(stream))).to.be.instanceOf(StreamNotFound);
    expect(await rejection(on.store.append(stream, [newEvent()], { expectedRevision: 'stream-exists' })))
      .to.be.instanceOf(WrongExpectedRevision)
      .and.include({ actual: 'no-stream' });

    expect((await on.store.append(stream, [newEvent()], { expectedRevision: 'no-stream' })).revision).to.equal(3n);
    expect((await eventsOf(on.store, stream)).map(({ revision }) => revision)).to.deep.equal([3n]);
  });

  it('does not get its events again when they are sent again, and they have no place any more', async () => {
    await on.client.deleteStream(stream);
    expect(await on.store.append(stream, events)).to.deep.equal({ revision: 2n, position: -1n });
    expect(await rejection(firstOf(stream))).to.be.instanceOf(StreamNotFound);
  });

  it('takes nothing any more where it has a tombstone', async () => {
    await on.client.tombstoneStream(stream);
    expect(await rejection(firstOf(stream))).to.be.instanceOf(StreamNotFound);
    expect(await rejection(on.store.append(stream, [newEvent()]))).to.be.instanceOf(StoreUnusable);
  });
});
