import { binaryEvent, jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { readFlowEvent } from '../../../../src/flows/flow-event.js';
import { StoreUnavailable, StoreUnusable } from '../../../../src/kernel/store-errors.js';
import type { RecordedEvent } from '../../../../src/stores/event-store/event-store.js';
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

async function collect(events: AsyncIterable<RecordedEvent>): Promise<readonly RecordedEvent[]> {
  const collected: RecordedEvent[] = [];
  for await (const event of events) collected.push(event);
  return collected;
}

describe('reading from EventStoreDB', function () {
  this.timeout(120_000);
  let on: StoreOnDouble;

  beforeEach(async () => {
    on = await storeOnDouble();
  });

  afterEach(() => on.close());

  it('fails in time where the server says nothing, from the first or from the middle on', async () => {
    const stream = newStream();
    await on.store.append(stream, newEvents(3_000));
    const hasty = on.open({ timing: impatient });
    await on.double.misbehave({ silent: true });
    for (const read of [() => eventsOf(hasty, stream), () => hasty.head()]) {
      const failing: Promise<unknown> = read();
      expect(await durationOf(failing)).to.be.below(impatient.totalMs * 4);
      expect(await rejection(failing)).to.be.instanceOf(StoreUnavailable);
    }
    await on.double.behave();

    let seen = 0;
    const failing = (async () => {
      for await (const _ of hasty.readStream(stream)) {
        seen += 1;
        if (seen === 1) await on.double.misbehave({ silent: true });
      }
    })();
    expect(await rejection(failing)).to.be.instanceOf(StoreUnavailable);
    expect(seen).to.be.within(1, 2_999);
  });

  it('fails fast once the server is known to be down, and succeeds as soon as it is back', async () => {
    const totalMs = 4_000;
    const stream = newStream();
    await on.store.append(stream, newEvents(1));
    const hasty = on.open({ timing: { ...impatient, totalMs, failingMs: 50, electionMs: 0 } });
    await on.double.misbehave({ silent: true });
    await rejection(hasty.head());
    const probing = rejection(hasty.head()); // one in each while takes its time, and so finds out
    const others = [1, 2, 3].map(() => hasty.head());
    expect(await durationOf(Promise.all(others.map((other) => rejection(other))))).to.be.below(totalMs / 2);
    await probing;
    await on.double.behave();
    await until(
      async () => (await eventsOf(hasty, stream).catch(() => [])).length === 1,
      'the events to be read again',
    );
    expect(await durationOf(eventsOf(hasty, stream))).to.be.below(totalMs / 2);
  });

  it('waits no longer than it may for one of the readers that are there to end', async () => {
    const stream = newStream();
    await on.store.append(stream, newEvents(2_000));
    const hasty = on.open({ timing: { ...patient, totalMs: impatient.totalMs } });
    const readers = Array.from({ length: 90 }, () => hasty.readStream(stream)[Symbol.asyncIterator]());
    for (const reader of readers) await reader.next();

    expect(await rejection(hasty.head())).to.be.instanceOf(StoreUnavailable);
    expect((await on.store.append(newStream(), [newEvent()])).revision).to.equal(0n);
    const waiting = hasty.head();
    await readers[0]?.return?.();
    expect((await waiting) > 0n).to.equal(true);
    await Promise.all(readers.map((reader) => reader.return?.()));
  });

  it('continues after the connection is cut, and repeats nothing', async () => {
    const stream = newStream();
    const events = newEvents(3_000);
    await on.store.append(stream, events);
    for (const read of [
      (): AsyncIterable<RecordedEvent> => on.store.readStream(stream),
      () => on.store.readStream(stream, { direction: 'backwards' }),
      () => on.store.readAll(),
      () => on.store.readAll({ direction: 'backwards' }),
      () => on.store.readAll({ filter: { categories: ['test'] } }),
    ]) {
      const ids: string[] = [];
      for await (const { id } of read()) {
        if (ids.push(id) === 500) await on.double.restart({ keepData: true });
      }
      const first = ids[0] === events[0]?.id;
      expect(ids).to.deep.equal(idsOf(first ? events : events.toReversed()));
    }
  });

  it('lets the server go when it is abandoned: hundreds of readers that leave do not block the next', async () => {
    const stream = newStream();
    await on.store.append(stream, newEvents(2_000));
    for (let count = 0; count < 110; count += 1) {
      for await (const _ of on.store.readStream(stream)) break;
      for await (const _ of on.store.readAll({ filter: { categories: ['test'] } })) break;
    }
    await until(() => on.double.subscriptions === 0, 'the server to be let go');
    expect(await eventsOf(on.store, stream)).to.have.length(2_000);
  });

  it("leaves out EventStoreDB's own events, in both directions, with a filter and without", async () => {
    const stream = newStream();
    await on.store.append(stream, newEvents(1));
    await on.client.setStreamMetadata(stream, { maxCount: 10 });
    await on.client.appendToStream('$ce-test', jsonEvent({ type: 'Checkpoint', data: {} }));
    await on.client.appendToStream(stream, binaryEvent({ type: '$>', data: Buffer.from(`0@${stream}`) }));
    await on.store.append(stream, newEvents(1));
    await on.client.tombstoneStream(newStream(), { expectedRevision: 'no_stream' });
    for (const filter of [undefined, { categories: ['test'] }, { categories: ['test', '$ce'] }]) {
      const forwards = await collect(on.store.readAll({ ...(filter && { filter }) }));
      const backwards = await collect(on.store.readAll({ direction: 'backwards', ...(filter && { filter }) }));
      expect(forwards.map(({ revision }) => revision)).to.deep.equal([0n, 2n]);
      expect(idsOf(backwards)).to.deep.equal(idsOf(forwards.toReversed()));
    }
  });

  it('returns events that are not JSON without data, so that their decoder refuses them', async () => {
    const stream = newStream('flow');
    await on.client.appendToStream(stream, [
      binaryEvent({ type: 'Binary', data: Buffer.from('{"a":1}'), metadata: Buffer.from([1, 2]) }),
      jsonEvent({ type: 'Json', data: { a: 1 } }),
    ]);
    const seen = (await eventsOf(on.store, stream)).map(({ type, data, metadata }) => ({ type, data, metadata }));
    expect(seen).to.deep.equal([
      { type: 'Binary', data: undefined, metadata: undefined },
      { type: 'Json', data: { a: 1 }, metadata: {} },
    ]);
  });

  /** An event with these bytes, declared as JSON: the client asks for the content type to send it, and again to serialise the data. */
  function declaredAsJson(text: string) {
    const types = ['application/json', 'application/octet-stream'];
    const event = binaryEvent({ type: 'order.paid', data: Buffer.from(text) });
    return Object.defineProperty(event, 'contentType', { get: () => types.shift() });
  }

  it('returns data that are declared as JSON and are none, so that the reason is named', async () => {
    const stream = newStream('flow');
    const texts = ['\uFEFF{"orgId":"acme"}', '{"orgId":"acme","total":NaN}', '{"orgId":"acme"', ''];
    for (const text of texts) await on.client.appendToStream(stream, [declaredAsJson(text)]);
    await on.client.appendToStream(stream, [
      binaryEvent({ type: 'order.paid', data: Buffer.from('{"orgId":"acme"}') }),
    ]);
    const reasons: string[] = [];
    for (const event of await eventsOf(on.store, stream)) {
      try {
        readFlowEvent(event);
      } catch (error) {
        reasons.push((error as Error).message.split(' cannot be decoded: ')[1] ?? '');
      }
    }
    expect(reasons).to.deep.equal([
      'its data begins with a byte order mark, which JSON must not',
      'its data is not valid JSON: JSON has no NaN',
      'its data is not valid JSON',
      'its data is empty',
      'its content type is not application/json',
    ]);
  });

  it('says so where a position cannot be of this store', async () => {
    const { position } = await on.store.append(newStream(), newEvents(3));
    for (const range of [{ from: position - 1n }, { from: position - 1n, filter: { categories: ['test'] } }]) {
      const error = await rejection(collect(on.store.readAll(range)));
      expect(error)
        .to.be.instanceOf(StoreUnusable)
        .and.have.property('message')
        .that.includes(String(position - 1n));
    }
    expect(await collect(on.store.readAll({ from: position + 1_000_000n }))).to.be.empty;
  });
});
