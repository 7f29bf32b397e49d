import { expect } from 'chai';
import { z } from 'zod';
import { StoreUnusable } from '../../../../src/kernel/store-errors.js';
import { codecFor, defineEvent, type EventOf } from '../../../../src/stores/event-store/codec.js';
import { StreamNotFound, WrongExpectedRevision } from '../../../../src/stores/event-store/errors.js';
import { categoryOf } from '../../../../src/stores/event-store/event-store.js';
import { type Decider, handle, load } from '../../../../src/stores/event-store/handle.js';
import { rejection } from '../../../support/rejection.js';
import { eventsOf, newEvent, newEvents, newStream, type StoreOnDouble, storeOnDouble } from './support.js';

const Happened = defineEvent({ category: 'placed', type: 'Happened', version: 1, schema: z.object({}) });
type Happened = EventOf<typeof Happened>;
const happened: Happened = { type: 'Happened', data: {} };
const because = { cause: { actor: 'test', correlationId: 'c-1' }, now: new Date() };

/** Decider whose state is the revision of the last event. */
const placed: Decider<bigint, Happened> = {
  codec: {
    ...codecFor([Happened]),
    decode: (recorded) => ({ ...recorded, ...happened, recordedAt: '', metadata: {} }),
  },
  initialState: () => -1n,
  evolve: (_, { revision }) => revision,
};

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

  it('does not exist, and continues at its revision after an append', async () => {
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

  it('passes decisions the revisions of its appends', async () => {
    await on.store.deleteStream(stream);
    const { state } = await handle(on.store, stream, placed, () => [happened, happened], because);
    // Behind the three that it had, and the mark of its deletion.
    expect(state).to.equal(5n);
    expect(await load(on.store, stream, placed)).to.deep.equal({ state: 5n, revision: 5n });
  });

  it('stays among all events when it is deleted, until the server is scavenged', async () => {
    await on.store.deleteStream(stream);
    const ids: string[] = [];
    for await (const { id } of on.store.readAll({ filter: { categories: [categoryOf(stream)] } })) ids.push(id);
    expect(ids).to.deep.equal(events.map(({ id }) => id));
  });

  it('is gone for good where it has a tombstone: deleting it changes nothing', async () => {
    await on.client.tombstoneStream(stream);
    await on.store.deleteStream(stream);
  });

  it('refuses appends if it has a tombstone', async () => {
    await on.client.tombstoneStream(stream);
    expect(await rejection(firstOf(stream))).to.be.instanceOf(StreamNotFound);
    expect(await rejection(on.store.append(stream, [newEvent()]))).to.be.instanceOf(StoreUnusable);
  });
});
