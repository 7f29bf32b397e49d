import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { StreamNotFound, WrongExpectedRevision } from '../../../../src/stores/event-store/errors.js';
import type { AllRange, RecordedEvent } from '../../../../src/stores/event-store/event-store.js';
import { collect } from '../../../contract/event-store/support.js';
import { rejection } from '../../../support/rejection.js';
import { until } from '../../../support/until.js';
import {
  eventsOf,
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
/** Rounds of an append beside a deletion, and the most of them until each has come first once. */
const [minRounds, maxRounds] = [60, 1_000];
const pauseIfDue = async (ms: number) => (ms > 0 ? pause(ms) : undefined);
const isDeletion = ({ type }: { type: string }) => type === '$metadata';

describe('a stream that was deleted, in an EventStoreDB that is scavenged', () => {
  let on: StoreOnDouble;
  let stream: string;

  beforeEach(async () => {
    on = await storeOnDouble(patient, { version: '24.10' });
    stream = newStream('flow');
  });
  afterEach(() => on.close());

  const held = () => heldBy(on.double, stream);
  const left = () => leftAfterScavenge(on.double, stream);

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

  it('is marked once where several clients delete it at the same time', async () => {
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
    let tookMs = 3;
    for (let round = 0; round < minRounds || (outcomes.size < 2 && round < maxRounds); round += 1) {
      stream = newStream('flow');
      await on.store.append(stream, newEvents(1));
      const event = newEvent();
      const leadMs = (2 * Math.random() - 1) * tookMs; // of the deletion; below 0: of the append
      const appended = pauseIfDue(leadMs).then(() => producer.append(stream, [event]));
      await pauseIfDue(-leadMs);
      const began = performance.now();
      const refused = await on.store.deleteStream(stream, { expectedRevision: 0n }).catch((error: unknown) => error);
      tookMs = performance.now() - began;
      await appended;
      if (refused !== undefined) expect(refused).to.be.instanceOf(WrongExpectedRevision);
      outcomes.add(refused === undefined ? 'deleted' : 'stays');
      const ids = (await eventsOf(on.store, stream)).map(({ id }) => id);
      expect(ids.slice(refused === undefined ? 0 : 1)).to.deep.equal([event.id]);
      expect(left().filter((each) => !each.startsWith(mark))).to.have.length(refused === undefined ? 1 : 2);
    }
    expect([...outcomes]).to.have.members(['deleted', 'stays']);
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

  const eventsIn = (name: string, range = {}) => collect(on.store.readStream(name, range));
});
