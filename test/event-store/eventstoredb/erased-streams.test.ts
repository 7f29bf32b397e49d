import { setTimeout as pause } from 'node:timers/promises';
import { StreamNotFoundError } from '@eventstore/db-client';
import { expect } from 'chai';
import { StreamNotFound, WrongExpectedRevision } from '../../../src/event-store/errors.js';
import type { AllRange, RecordedEvent } from '../../../src/event-store/event-store.js';
import { erasureMark } from '../../../src/event-store/eventstoredb/erasure-mark.js';
import { collect } from '../../contract/event-store/support.js';
import { rejection } from '../../support/rejection.js';
import { until } from '../../support/until.js';
import { eventsOf, newEvent, newEvents, newStream, patient, type StoreOnDouble, storeOnDouble } from './support.js';

const mark = '$StreamErased';
const isDeletion = ({ type }: { readonly type: string }) => type === '$metadata';

describe('a stream that was deleted, in an EventStoreDB that is scavenged', () => {
  let on: StoreOnDouble;
  let stream: string;

  beforeEach(async () => {
    on = await storeOnDouble(patient, { version: '24.10' });
    stream = newStream('flow');
  });
  afterEach(() => on.close());

  /** `<type> <revision>` of what the server holds of the stream, hidden or not. */
  const held = () =>
    on.double
      .everyEvent()
      .filter((event) => event.stream === stream)
      .map(({ type, revision }) => `${type} ${revision}`);

  /** What it holds after a scavenge. */
  const left = () => {
    on.double.scavenge();
    return held();
  };

  for (const count of [1, 3]) {
    it(`leaves an event without data, and nothing of what it held, ${count} of them`, async () => {
      await on.store.append(stream, newEvents(count));
      await on.store.deleteStream(stream, { expectedRevision: BigInt(count - 1) });
      expect(left()).to.deep.equal([`${mark} ${count}`]);
      const [last] = on.double.everyEvent().filter((event) => event.stream === stream);
      expect([last?.data.length, last?.metadata.length]).to.deep.equal([0, 0]);
    });
  }

  it('shows no reader the event without data, and takes checkpoints past it', async () => {
    const ending = new AbortController();
    const seen: RecordedEvent[] = [];
    let position = -1n;
    const following = (async () => {
      const options = { filter: { categories: ['flow'] }, from: 'end', signal: ending.signal } as const;
      for await (const batch of on.store.subscribe(options)) {
        seen.push(...batch.events);
        position = batch.position;
      }
    })();
    await on.store.append(stream, newEvents(1));
    await on.store.deleteStream(stream);
    const head = await on.store.head();
    await until(() => position >= head, 'the position of the last event');
    ending.abort();
    await following;
    const types = async (range: AllRange) => (await collect(on.store.readAll(range))).map(({ type }) => type);
    expect(seen.map(({ type }) => type)).to.deep.equal(['SomethingHappened']);
    for (const direction of ['forwards', 'backwards'] as const) {
      expect(await types({ direction })).to.deep.equal(['SomethingHappened']);
      expect(await types({ direction, filter: { categories: ['flow'] } })).to.deep.equal(['SomethingHappened']);
    }
  });

  it('may begin again and be deleted again: each time nothing is left of what it held', async () => {
    for (let round = 0; round < 3; round += 1) {
      await on.store.append(stream, newEvents(2), { expectedRevision: 'no-stream' });
      expect(await eventsOf(on.store, stream)).to.have.length(2);
      await on.store.deleteStream(stream);
    }
    expect(left()).to.deep.equal([`${mark} 8`]);
    await on.store.append(stream, [newEvent()], { expectedRevision: 'no-stream' });
    expect(left()).to.deep.equal(['SomethingHappened 9']);
  });

  it('is one that stays where it has gone on: nothing is added to it', async () => {
    await on.store.append(stream, newEvents(2));
    const error = await rejection(on.store.deleteStream(stream, { expectedRevision: 0n }));
    expect(error).to.be.instanceOf(WrongExpectedRevision);
    expect(left()).to.deep.equal(['SomethingHappened 0', 'SomethingHappened 1']);
  });

  it('is marked once, whoever deletes it at the same time', async () => {
    const stores = [on.store, on.open(), on.open()];
    for (let round = 0; round < 20; round += 1) {
      stream = newStream('flow');
      await on.store.append(stream, newEvents(2));
      await Promise.all(stores.map((store) => store.deleteStream(stream)));
      expect(held().slice(2)).to.deep.equal([`${mark} 2`]);
      expect(await rejection(eventsIn(stream))).to.be.instanceOf(StreamNotFound);
    }
  });

  it('loses nothing of a producer who appends at the same time', async () => {
    const producer = on.open();
    const outcomes = new Set<string>();
    for (let round = 0; round < 60; round += 1) {
      stream = newStream('flow');
      await on.store.append(stream, newEvents(1));
      const event = newEvent();
      const appended = pause(Math.random() * 6).then(() => producer.append(stream, [event]));
      const refused = await on.store.deleteStream(stream, { expectedRevision: 0n }).catch((error: unknown) => error);
      await appended;
      if (refused !== undefined) expect(refused).to.be.instanceOf(WrongExpectedRevision);
      outcomes.add(refused === undefined ? 'deleted' : 'stays');
      const ids = (await eventsOf(on.store, stream)).map(({ id }) => id);
      expect(ids.slice(refused === undefined ? 0 : 1)).to.deep.equal([event.id]);
      expect(left().filter((each) => !each.startsWith(mark))).to.have.length(refused === undefined ? 1 : 2);
    }
    expect(outcomes).to.include('deleted');
  });

  for (const { step, happened, leaves } of [
    { step: 'deleted', happened: () => on.double.everyEvent().some(isDeletion), leaves: ['SomethingHappened 1'] },
    { step: 'marked', happened: () => held().includes(`${mark} 1`), leaves: [`${mark} 1`, 'SomethingHappened 2'] },
  ]) {
    it(`stays where it is begun again right after it was ${step}, and nothing is left of what it held before`, async () => {
      await on.store.append(stream, newEvents(1));
      await on.double.misbehave({ answerLateMs: 300 });
      const deleting = on.store.deleteStream(stream, { expectedRevision: 0n });
      await until(happened, `that it was ${step}`);
      const event = newEvent();
      await on.open().append(stream, [event]);
      await deleting;
      await on.double.behave();
      expect((await eventsIn(stream)).map(({ id }) => id)).to.deep.equal([event.id]);
      expect(left()).to.deep.equal(leaves);
    });
  }

  it('is deleted, and marked once, though answers on the way are lost', async () => {
    for (const by of ['disconnect', 'silence'] as const) {
      stream = newStream('flow');
      await on.store.append(stream, newEvents(2));
      await on.double.misbehave({ loseAppendAnswers: { times: 1, by } });
      await on.store.deleteStream(stream);
      expect(await rejection(eventsIn(stream))).to.be.instanceOf(StreamNotFound);
      expect(left()).to.deep.equal([`${mark} 2`]);
    }
  });

  /** As a process leaves it that dies right behind the event without data. */
  async function cutShort(): Promise<void> {
    await on.store.append(stream, newEvents(2));
    await on.client.deleteStream(stream);
    await on.client.appendToStream(stream, erasureMark(stream, 1n), { expectedRevision: 1n });
  }

  const eventsIn = (name: string, range = {}) => collect(on.store.readStream(name, range));

  describe('by a process that died on the way', () => {
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

  describe('before deletions left a mark, or without it by a process that died', () => {
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
