import { expect } from 'chai';
import { StoreUnavailable } from '../../../../src/kernel/store-errors.js';
import { WrongExpectedRevision } from '../../../../src/stores/event-store/errors.js';
import type { ExpectedRevision } from '../../../../src/stores/event-store/event-store.js';
import { rejection } from '../../../support/rejection.js';
import { until } from '../../../support/until.js';
import {
  durationOf,
  eventsOf,
  idsOf,
  impatient,
  newEvent,
  newEvents,
  newStream,
  patient,
  type StoreOnDouble,
  storeOnDouble,
} from './support.js';

const inTime = impatient.totalMs * 4;

describe('appending to EventStoreDB where it does not answer', function () {
  this.timeout(120_000);
  let on: StoreOnDouble;

  beforeEach(async () => {
    on = await storeOnDouble(impatient);
  });

  afterEach(() => on.close());

  it('fails in time where the server refuses connections, and works again once it takes them', async () => {
    await on.double.misbehave({ refuseConnections: true });
    const failing = on.store.append(newStream(), [newEvent()]);
    expect(await durationOf(failing)).to.be.below(inTime);
    expect(await rejection(failing)).to.be.instanceOf(StoreUnavailable);
    expect(on.store.status()).to.include({ connected: false });

    await on.double.behave();
    expect((await on.store.append(newStream(), [newEvent()])).revision).to.equal(0n);
    expect(on.store.status()).to.deep.include({ connected: true, error: undefined });
  });

  it('tells its caller nothing about addresses, but keeps them for the operator', async () => {
    await on.double.misbehave({ refuseConnections: true });
    const error = (await rejection(on.store.append(newStream(), [newEvent()]))) as StoreUnavailable;
    expect(error.message).to.equal('the event store cannot be reached');
    expect(on.store.status().error).to.include('127.0.0.1');
  });

  it('fails in time where the server is silent, and leaves nothing that is carried out later', async () => {
    await on.double.misbehave({ silent: true });
    const stream = newStream();
    const failing = on.store.append(stream, [newEvent()]);
    expect(await durationOf(failing)).to.be.within(impatient.callMs, inTime);
    expect(await rejection(failing)).to.be.instanceOf(StoreUnavailable);
    await on.double.behave();
    expect(await eventsOf(on.store, stream)).to.be.empty;
  });

  it('fails all of many callers in time, however many of them wait for the same stream', async () => {
    await on.double.misbehave({ silent: true });
    const stream = newStream();
    const failing = Promise.allSettled(Array.from({ length: 40 }, () => on.store.append(stream, [newEvent()])));
    expect(await durationOf(failing)).to.be.below(inTime);
    for (const outcome of await failing) expect(outcome).to.include({ status: 'rejected' });
  });

  it('fails a call that appends to many streams as soon as one append, and repeats complete it', async () => {
    const events = Array.from({ length: 300 }, () => ({ stream: newStream(), event: newEvent(), startsStream: true }));
    await on.store.appendEach(events.slice(0, 100));
    await on.double.misbehave({ silent: true });
    const failing = on.store.appendEach(events);
    expect(await durationOf(failing)).to.be.below(inTime);
    expect(await rejection(failing)).to.be.instanceOf(StoreUnavailable);
    await on.double.behave();
    const isCompleted = () =>
      on.store.appendEach(events).then(
        () => true,
        () => false, // its time is short on a busy machine
      );
    await until(isCompleted, 'a call that completes it');
    for (const { stream } of events) expect(await eventsOf(on.store, stream)).to.have.length(1);
  });

  it('is one append though the answer comes after the timeout', async () => {
    await on.double.misbehave({ answerLateMs: impatient.totalMs * 2 });
    const stream = newStream();
    const event = newEvent();
    expect(await rejection(on.store.append(stream, [event]))).to.be.instanceOf(StoreUnavailable);
    await on.double.behave();
    expect((await on.store.append(stream, [event])).revision).to.equal(0n);
    expect(await eventsOf(on.store, stream)).to.have.length(1);
  });
});

describe('appending to EventStoreDB', function () {
  this.timeout(120_000);
  let on: StoreOnDouble;

  beforeEach(async () => {
    on = await storeOnDouble();
  });

  afterEach(() => on.close());

  it('continues if the server returns while it retries', async () => {
    await on.double.misbehave({ refuseConnections: true });
    const appended = on.store.append(newStream(), [newEvent()]);
    setTimeout(() => void on.double.behave(), 300);
    expect((await appended).revision).to.equal(0n);
  });

  for (const by of ['silence', 'disconnect'] as const) {
    for (const times of [1, Number.POSITIVE_INFINITY]) {
      for (const expected of ['any', 'stream-exists', 0n, 'no-stream'] satisfies ExpectedRevision[]) {
        const howOften = times === 1 ? 'once' : 'each time';
        it(`gives one copy and its place where the answer is lost by ${by} ${howOften}, with ${expected}`, async () => {
          const stream = newStream();
          const first = expected === 'no-stream' ? [] : [newEvent()];
          if (first.length > 0) await on.store.append(stream, first);
          await on.double.misbehave({ loseAppendAnswers: { times, by } });

          const events = newEvents(3);
          const place = await on.store.append(stream, events, { expectedRevision: expected });
          const recorded = await eventsOf(on.store, stream);
          expect(idsOf(recorded)).to.deep.equal(idsOf([...first, ...events]));
          expect(place).to.deep.equal({
            revision: BigInt(recorded.length - 1),
            position: recorded.at(-1)?.position,
          });
        });
      }
    }
  }

  it('finds its own events though others have been appended after them', async () => {
    const stream = newStream();
    await on.double.misbehave({ loseAppendAnswers: { times: 1 } });
    const event = newEvent();
    const appended = on.store.append(stream, [event]);
    while ((await eventsOf(on.store, stream)).length === 0);
    await on.open().append(stream, newEvents(5));
    expect((await appended).revision).to.equal(0n);
    expect(await eventsOf(on.store, stream)).to.have.length(6);
  });

  it('does not take the success of another for its own', async () => {
    const other = on.open();
    await other.append(newStream(), [newEvent()]);
    await on.double.misbehave({ refuseNewConnections: true });
    const stream = newStream();
    const appended = rejection(on.store.append(stream, newEvents(2), { expectedRevision: 'no-stream' }));
    const events = newEvents(1);
    await other.append(stream, events, { expectedRevision: 'no-stream' });
    await on.double.behave();

    expect(await appended)
      .to.be.instanceOf(WrongExpectedRevision)
      .and.include({ expected: 'no-stream', actual: 0n });
    expect(idsOf(await eventsOf(on.store, stream))).to.deep.equal(idsOf(events));
  });

  it('keeps the order of appends to a stream though answers are lost on the way', async () => {
    const stream = newStream();
    await on.double.misbehave({ loseAppendAnswers: { times: 3, by: 'disconnect' } });
    const events = newEvents(30);
    const places = await Promise.all(events.map((event) => on.store.append(stream, [event])));
    expect(places.map(({ revision }) => revision)).to.deep.equal(events.map((_, index) => BigInt(index)));
    expect(idsOf(await eventsOf(on.store, stream))).to.deep.equal(idsOf(events));
  });

  it('goes to the leader when the server is not the leader', async () => {
    const leader = await on.startAnother();
    await on.double.misbehave({ leaderIsAt: { host: '127.0.0.1', port: leader.port } });
    const stream = newStream();
    expect((await on.store.append(stream, [newEvent()])).revision).to.equal(0n);
    expect(await eventsOf(on.open({ url: leader.url }), stream)).to.have.length(1);
  });

  it('writes each of many appends once while the server is restarted under them', async () => {
    const streams = Array.from({ length: 20 }, () => newStream());
    const sent = streams.map(() => newEvents(10));
    const writing = Promise.all(
      streams.map(async (stream, index) => {
        for (const event of sent[index] ?? []) await on.store.append(stream, [event]);
      }),
    );
    for (let restarts = 0; restarts < 3; restarts += 1) {
      await new Promise((resolve) => setTimeout(resolve, 30));
      await on.double.restart({ keepData: true });
    }
    await writing;
    for (const [index, stream] of streams.entries())
      expect(idsOf(await eventsOf(on.store, stream))).to.deep.equal(idsOf(sent[index] ?? []));
  });

  it('is answered to each of 300 callers at once, though a connection carries 100 calls', async () => {
    await on.double.misbehave({ answerLateMs: 200 });
    const places = await Promise.all(Array.from({ length: 300 }, () => on.store.append(newStream(), [newEvent()])));
    expect(new Set(places.map(({ position }) => position)).size).to.equal(300);
  });

  it('is under way at any moment without a read that asks whether the server is there, as long as it answers', async () => {
    const beatMs = patient.callMs / 2;
    on.double.calls();
    const endAt = performance.now() + 8 * beatMs;
    const appendOn = async () => {
      while (performance.now() < endAt) await on.store.append(newStream(), [newEvent()]);
    };
    await Promise.all([appendOn(), appendOn(), appendOn()]);
    const { all = 0 } = on.double.calls();
    expect(all, 'of eight heartbeats').to.be.at.most(3); // where the machine was slow to answer
  });
});
