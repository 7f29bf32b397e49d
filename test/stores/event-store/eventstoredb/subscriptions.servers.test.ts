import { setTimeout as pause } from 'node:timers/promises';
import { EventStoreDBClient } from '@eventstore/db-client';
import { expect } from 'chai';
import { StoreUnusable } from '../../../../src/kernel/store-errors.js';
import type { EventBatch, SubscribeOptions } from '../../../../src/stores/event-store/event-store.js';
import { rejection } from '../../../support/rejection.js';
import { until } from '../../../support/until.js';
import { idsOf, newEvent, newEvents, newStream, patient, type StoreOnDouble, storeOnDouble } from './support.js';

const filter = { categories: ['test'] };
/** Timing of a subscription, which retries for ever and may notice failures soon. */
const quick = { ...patient, totalMs: 1_500 };

describe('a subscription to EventStoreDB', function () {
  this.timeout(120_000);
  let on: StoreOnDouble;
  let writer: StoreOnDouble['store'];

  beforeEach(async () => {
    on = await storeOnDouble(quick);
    writer = on.open({ timing: patient });
  });

  afterEach(() => on.close());

  /** Subscribes, and keeps what is given. */
  function watch(options: SubscribeOptions = { filter }, handle: (batch: EventBatch) => unknown = () => undefined) {
    const stop = new AbortController();
    const ids: string[] = [];
    const seen = { ids, position: -1n, caughtUp: false };
    const over = (async () => {
      for await (const batch of on.store.subscribe({ ...options, signal: stop.signal })) {
        ids.push(...idsOf(batch.events));
        Object.assign(seen, { position: batch.position, caughtUp: batch.caughtUp });
        await handle(batch);
      }
    })();
    over.catch(() => undefined); // each test asks how it ended
    const end = async () => {
      stop.abort();
      await over;
    };
    return { seen, over, end, caughtUp: () => until(() => seen.caughtUp, 'the end of the history') };
  }

  const has = ({ seen }: ReturnType<typeof watch>, events: readonly { id: string }[]) =>
    until(() => seen.ids.length >= events.length, `${events.length} events`).then(() =>
      expect(seen.ids).to.deep.equal(idsOf(events)),
    );

  for (const code of ['ABORTED', 'CANCELLED', 'INTERNAL', 'UNAVAILABLE', 'UNKNOWN', 'a clean end'] as const) {
    it(`continues after ${code}, loses nothing and repeats nothing`, async () => {
      const stream = newStream();
      const events = newEvents(30);
      const watching = watch();
      await watching.caughtUp();
      for (const [index, event] of events.entries()) {
        await writer.append(stream, [event]);
        if (index % 10 !== 5) continue;
        await until(() => on.double.subscriptions === 1, 'the subscription');
        const ended = code === 'a clean end' ? on.double.endSubscriptions() : on.double.dropSubscriptions({ code });
        expect(ended).to.equal(1);
      }
      await has(watching, events);
      await watching.end();
      expect(on.store.status()).to.deep.include({ connected: true, resubscriptions: 3 });
    });
  }

  it('gets through though each try is dropped after a few events', async () => {
    const events = newEvents(40);
    await writer.append(newStream(), events);
    await on.double.misbehave({ dropSubscriptionsAfter: { events: 4, code: 'INTERNAL' } });
    const watching = watch();
    await has(watching, events);
    await watching.end();
  });

  it('is given a burst that the server drops it for, whether its reader is fast or slow', async () => {
    const events = newEvents(3_000);
    const fast = watch();
    const slow = watch({ filter }, () => new Promise((resolve) => setTimeout(resolve, 5)));
    await Promise.all([fast.caughtUp(), slow.caughtUp()]);
    for (let count = 0; count < events.length; count += 500)
      await writer.append(newStream(), events.slice(count, count + 500));
    await Promise.all([has(fast, events), has(slow, events)]);
    await Promise.all([fast.end(), slow.end()]);
    expect(on.store.status().resubscriptions).to.be.greaterThan(0);
  });

  it('continues when the server returns with its data, and logs each change once', async () => {
    const stream = newStream();
    const [before, after] = [newEvents(3), newEvents(3)];
    const watching = watch();
    await writer.append(stream, before);
    await has(watching, before);
    await on.double.misbehave({ refuseConnections: true });
    await until(() => !on.store.status().connected, 'the trouble to be noticed');
    expect(on.store.status().error).to.be.a('string');
    const failing = () => on.store.status().failing.find(({ name }) => name === 'subscription to test');
    await until(() => failing() !== undefined, 'the subscription to be named');
    expect(failing()?.since.getTime()).to.be.at.most(Date.now());

    await on.double.restart({ keepData: true });
    await writer.append(stream, after);
    await has(watching, [...before, ...after]);
    await until(() => on.store.status().connected, 'the trouble to be over');
    await watching.end();
    const told = on.log.filter((line) => line.startsWith('subscription to test'));
    expect(told).to.deep.equal([
      'subscription to test: EventStoreDB is not reached; retrying',
      'subscription to test: EventStoreDB is reached again',
    ]);
  });

  it('says so where the server has come back without its data', async () => {
    const watching = watch();
    const { position } = await writer.append(newStream(), newEvents(10));
    await until(() => watching.seen.position >= position, 'the events');
    await on.double.restart({ keepData: false });
    const error = await rejection(watching.over);
    expect(error).to.be.instanceOf(StoreUnusable).and.have.property('message').that.includes('beyond the end');
  });

  it('reports events of others in the place of those that it has seen', async () => {
    const { position } = await writer.append(newStream(), newEvents(10));
    await on.double.restart({ keepData: false });
    await writer.append(
      newStream(),
      newEvents(20).map((event) => ({ ...event, type: 'SomethingElse' })),
    );
    const error = await rejection(watch({ from: position, filter }).over);
    expect(error).to.be.instanceOf(StoreUnusable).and.have.property('message').that.includes(String(position));
  });

  it('is detected when the server becomes silent, and continues', async () => {
    const stream = newStream();
    const [before, after] = [newEvents(3), newEvents(3)];
    const watching = watch();
    await writer.append(stream, before);
    await has(watching, before);
    await on.double.misbehave({ silent: true });
    await until(() => !on.store.status().connected, 'the silence to be noticed');
    await on.double.behave();
    await writer.append(stream, after);
    await has(watching, [...before, ...after]);
    await watching.end();
  });

  it('moves its position through events of EventStoreDB itself', async () => {
    const watching = watch();
    await watching.caughtUp();
    await on.client.setStreamMetadata('some-stream', { maxCount: 10 });
    const head = await writer.head();
    await until(() => watching.seen.position >= head, 'the position');
    await watching.end();
  });

  it('has passed the events of others when it reports that it has caught up', async () => {
    const event = newEvent();
    await writer.append(newStream(), [event]);
    const other = `other-${newStream()}`;
    for (let part = 0; part < 7; part += 1) await writer.append(other, newEvents(100));
    const head = await writer.head();
    const caughtUpAt: bigint[] = [];
    const watching = watch({ filter }, ({ caughtUp, position }) => caughtUp && caughtUpAt.push(position));
    await watching.caughtUp();
    expect(caughtUpAt[0]).to.equal(head);
    await has(watching, [event]);
    await watching.end();
  });

  it('that asks for no category gives nothing, and moves all the same', async () => {
    const watching = watch({ filter: { categories: [] } });
    const { position } = await writer.append(newStream(), newEvents(2));
    await until(() => watching.seen.position >= position, 'the position');
    expect(watching.seen.ids).to.be.empty;
    await watching.end();
  });

  it('begins at the end where the server could not say at first where that is', async () => {
    await writer.append(newStream(), newEvents(3));
    await on.double.misbehave({ refuseConnections: true });
    const watching = watch({ from: 'end', filter });
    await until(() => !on.store.status().connected, 'the trouble to be noticed');
    await on.double.behave();
    await watching.caughtUp();
    const event = newEvent();
    await writer.append(newStream(), [event]);
    await has(watching, [event]);
    await watching.end();
  });

  it('ends at once on abort while the server is down, and no longer counts as failing', async () => {
    await on.double.misbehave({ refuseConnections: true });
    const watching = watch();
    await until(() => !on.store.status().connected, 'the trouble to be noticed');
    await watching.end();
  });

  it('is let go by the server when its reader leaves', async () => {
    const { position } = await writer.append(newStream(), newEvents(5));
    for (let count = 0; count < 120; count += 1) {
      for await (const batch of on.store.subscribe({ filter })) if (batch.position >= position) break;
    }
    await until(() => on.double.subscriptions === 0, 'the subscriptions to end');
  });

  it('seldom looks ahead while the server reports that it has passed the events of others', async () => {
    const watching = watch({ filter: { categories: ['other'] } });
    await watching.caughtUp();
    on.double.calls();
    const began = performance.now();
    const stream = newStream();
    for (let count = 0; count < 150; count += 1) {
      await writer.append(stream, [newEvent()]);
      await pause(5);
    }
    const { all = 0 } = on.double.calls();
    expect(all).to.be.at.most((performance.now() - began) / (2 * quick.quietMs) + 3);
    await watching.end();
  });

  it('looks ahead at rest together with the others of its process, by one read, which is all that is asked', async () => {
    await writer.append(newStream(), newEvents(3));
    const watching = Array.from({ length: 8 }, () => watch());
    await Promise.all(watching.map(({ caughtUp }) => caughtUp()));
    const longestQuietMs = 16 * quick.quietMs;
    await pause(2 * longestQuietMs);
    const { readAll } = EventStoreDBClient.prototype;
    let reads = 0;
    EventStoreDBClient.prototype.readAll = function (this: EventStoreDBClient, ...given: Parameters<typeof readAll>) {
      reads += 1;
      return readAll.apply(this, given);
    } as typeof readAll;
    const began = performance.now();
    try {
      await pause(3 * longestQuietMs);
    } finally {
      EventStoreDBClient.prototype.readAll = readAll;
    }
    const looks = Math.floor((performance.now() - began) / longestQuietMs) + 1;
    expect(reads).to.be.greaterThan(0);
    expect(reads).to.be.at.most(2 * looks); // a timer may be late; 8 without sharing
    await Promise.all(watching.map(({ end }) => end()));
  });
});
