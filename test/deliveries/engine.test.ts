import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { replayStream } from '../../src/admin/replays/replay.js';
import { replayCodec } from '../../src/events/replay-events.js';
import { listenerDecider, listenerStream } from '../../src/listeners/listener.js';
import type { LeasedDelivery } from '../../src/queue/leasing.js';
import { positionOf } from '../../src/queue/reader-positions.js';
import { openSqliteDeliveryQueue } from '../../src/queue/sqlite/sqlite-delivery-queue.js';
import { load } from '../../src/stores/event-store/handle.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { emptyBatch } from '../support/deliveries/delivery-batches.js';
import { type Engine, startEngine } from '../support/deliveries/delivery-engine.js';
import { logOf } from '../support/deliveries/log-of.js';
import { type Receiver, startHeldReceiver, startReceiver, verify } from '../support/receivers-of-listeners/receiver.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { until } from '../support/until.js';

const soon = { schedule: [0, 20, 20], maxRetryAfterMs: 1_000 };

describe('deliveries, from the flow event to the listener', () => {
  let engine: Engine;
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await startReceiver();
    engine = await startEngine({ attempts: { concurrency: 16, deadlineMs: 3_000, retryPolicy: soon } });
  });
  afterEach(async () => {
    await engine.stop();
    await receiver.close();
  });

  const counts = () => engine.queue.counts(Date.now());

  it('post a flow event to each listener that wants it, signed so that the official library accepts it', async () => {
    const all = await engine.subscribe(`${receiver.origin}/all`);
    await engine.subscribe(`${receiver.origin}/other-type`, { subscriptionType: 'flow.failed' });
    await engine.subscribe(`${receiver.origin}/other-organisation`, { orgId: 'globex' });
    const prefix = await engine.subscribe(`${receiver.origin}/prefix`, { subscriptionType: 'flow.*' });
    await engine.publish({ id: 'order-1', total: 42, note: 'Ærø' });

    const received = await receiver.has(2);
    await until(async () => (await counts()).succeeded === 2, 'both to be recorded');
    expect(received.map(({ path }) => path).sort()).to.deep.equal(['/all', '/prefix']);
    for (const delivery of received) {
      const { secret } = delivery.path === '/all' ? all : prefix;
      expect(verify(delivery, secret)).to.deep.include({
        id: 'order-1',
        orgId: 'acme',
        data: { total: 42, note: 'Ærø' },
      });
      expect(delivery.headers).to.include({ 'content-type': 'application/json' });
      expect(delivery.headers['user-agent']).to.match(/^Flow-Hooks\/\d/);
    }
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).to.equal(2);
  });

  it('are counted once as they enter the queue', async () => {
    const added: string[] = [];
    const counted = await startEngine({
      observer: { onEnqueued: (organisations) => void added.push(...organisations) },
    });
    for (const path of ['1', '2']) await counted.subscribe(`${receiver.origin}/${path}`);
    const id = await counted.publish();
    await counted.publish({}, { id });
    await receiver.has(2);
    await until(counted.fannedOut, 'the fan-out');
    expect(added).to.have.length(2);
    await counted.stop();
  });

  it('report when their event was recorded, not when the fan-out handled it', async () => {
    const attempted: LeasedDelivery[] = [];
    const told = await startEngine({ observer: { onAttempted: (delivery) => void attempted.push(delivery) } });
    await told.subscribe(`${receiver.origin}/1`);
    const metadata = { recordedAt: '2026-01-02T03:04:05.678Z' };
    await told.store.append('flow-1', [{ id: randomUUID(), type: 'flow.done', data: { orgId: 'acme' }, metadata }]);
    await until(async () => attempted.length === 1, 'the attempt');
    await told.stop();
    expect(attempted[0]).to.include({ recordedAt: Date.parse(metadata.recordedAt) });
    expect(attempted[0]?.enqueuedAt).to.be.greaterThan(Date.parse(metadata.recordedAt));
  });

  it('that wait for their transformation are released by a stop, which takes little time', async () => {
    const stopped = await startEngine();
    const endless = '($f := function($x) { $f($x + 1) }; $f(1))';
    for (let index = 0; index < 12; index += 1)
      await stopped.subscribe(`${receiver.origin}/${index}`, { transform: endless });
    await stopped.publish();
    await until(async () => stopped.deliveries.status().worker.underWay === 12, 'the attempts');
    await stopped.deliveries.stop(20_000);
    expect((await stopped.queue.counts(Date.now())).waiting).to.be.above(9);
    await stopped.stop();
  });

  it('come one at a time and in their order to a listener that wants that, each as soon as the one before has arrived', async () => {
    await engine.subscribe(`${receiver.origin}/ordered`, { ordered: true });
    const numbers = Array.from({ length: 40 }, (_, n) => n);
    for (const n of numbers) await engine.publish({ n });
    const received = await receiver.has(numbers.length);
    expect(received.map(({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n)).to.deep.equal(numbers);
  });

  it('come again when they fail, with the same webhook-id and the same bytes', async () => {
    const { secret } = await engine.subscribe(`${receiver.origin}/1`);
    receiver.answer(500);
    await engine.publish({ n: 1 });
    await receiver.has(1);
    receiver.answer(200);
    await until(async () => (await counts()).succeeded === 1, 'the retry to succeed');

    const [first, second] = await receiver.has(2);
    if (!first || !second) throw new Error('two were there');
    expect(second.body).to.equal(first.body);
    expect(second.headers['webhook-id']).to.equal(first.headers['webhook-id']);
    verify(second, secret);
  });

  it('end as exhausted when the schedule is over', async () => {
    await engine.subscribe(`${receiver.origin}/1`);
    receiver.answer(503);
    await engine.publish();
    await until(async () => (await counts()).exhausted === 1, 'the last attempt');
    expect(receiver.received.length).to.equal(3);
    const [record] = (await engine.queue.deliveries({ orgId: 'acme' })).deliveries;
    expect(record).to.include({ attempts: 3, lastStatus: 503, lastError: 'http_status' });
  });

  it('go to a listener only for what happened while it was registered', async () => {
    await engine.publish({ n: 'before' });
    const { listenerId } = await engine.subscribe(`${receiver.origin}/1`);
    await engine.publish({ n: 'during' });
    await receiver.has(1);
    await engine.unsubscribe(listenerId);
    await engine.publish({ n: 'after' });
    await until(engine.fannedOut, 'the fan-out');

    expect(receiver.received.map(({ body }) => JSON.parse(body).data.n)).to.deep.equal(['during']);
    expect(await counts()).to.include({ waiting: 0 });
  });

  it('set aside events of no organisation, or of another one than their stream, and continue', async () => {
    await engine.subscribe(`${receiver.origin}/1`);
    const stream = 'flow-shared';
    await engine.publish({ n: 1 }, { stream });
    await engine.publish({ n: 2 }, { stream, orgId: 'globex' });
    await engine.store.append('flow-odd', [{ id: randomUUID(), type: 'odd', data: { n: 3 }, metadata: {} }]);
    await engine.publish({ n: 4 }, { stream });

    await receiver.has(2);
    expect(receiver.received.map(({ body }) => JSON.parse(body).data.n).sort()).to.deep.equal([1, 4]);
    expect(await counts()).to.include({ setAside: 2 });
  });

  it('take one event to more listeners than fit into a part', async () => {
    const listeners = Array.from({ length: 2_300 }, (_, index) => `${receiver.origin}/${index}`);
    await Promise.all(listeners.map((url) => engine.subscribe(url)));
    await engine.publish();
    await receiver.has(2_300);
    expect(new Set(receiver.received.map(({ path }) => path)).size).to.equal(2_300);
  });

  it('move the checkpoint behind one event to as many listeners as fit into a part, though nothing comes after it', async () => {
    const listeners = Array.from({ length: 1_000 }, (_, index) => `${receiver.origin}/${index}`);
    await Promise.all(listeners.map((url) => engine.subscribe(url)));
    await engine.publish();
    await receiver.has(1_000);
    const head = await engine.store.head();
    await until(async () => (await positionOf(engine.queue, 'fan-out')) === head, 'the checkpoint');
  });

  it('let a slow listener delay no other', async () => {
    const slow = await startReceiver();
    slow.answer('nothing');
    await engine.subscribe(`${slow.origin}/slow`);
    for (let n = 0; n < 100; n += 1) await engine.publish({ n });
    await engine.subscribe(`${receiver.origin}/healthy`);
    await engine.publish({ n: 'late' });
    await receiver.has(1);
    expect(slow.received.length).to.be.lessThan(17);
    await slow.close();
  });

  it('come once though the event is published again, in another flow, before all its listeners have answered', async () => {
    const slow = await startHeldReceiver();
    const written = openSqliteDeliveryQueue({ directory: engine.directory });
    await engine.subscribe(`${receiver.origin}/fast`);
    await engine.subscribe(`${slow.origin}/slow`);
    await engine.publish();
    await slow.holds(1);
    await slow.release(200);
    await until(async () => (await counts()).succeeded === 2, 'the first event');
    const id = await engine.publish();
    await slow.holds(1);
    await until(async () => (await written.counts(Date.now())).succeeded === 3, 'what the fast listener has answered');
    await engine.publish({}, { id });
    await engine.publish();
    await receiver.has(3);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).to.equal(ids.length);
    await written.close();
    await slow.close();
  });

  it('report a listener that keeps failing, until it is paused', async () => {
    const steps: number[] = [];
    const failing = await startEngine({
      attempts: { concurrency: 4, retryPolicy: { schedule: Array(9).fill(40), maxRetryAfterMs: 1_000 } },
      failingPolicy: { afterMs: 100 },
      observer: { onNotice: (percent) => void steps.push(percent) },
    });
    receiver.answer(500);
    await failing.subscribe(`${receiver.origin}/1`);
    await failing.publish();
    await until(() => steps.at(-1) === 100, 'the last step');
    expect(steps).to.deep.equal(steps.toSorted((one, other) => one - other));
    await failing.stop();
  });

  it('are cancelled with their replay by its event, although the process that recorded it has died', async () => {
    const { listenerId } = await engine.subscribe(`${receiver.origin}/1`);
    const eventId = await engine.publish();
    await receiver.has(1);
    const [orgId, replayId] = ['acme', randomUUID()];
    const replayed = {
      id: 'again',
      webhookId: 'again',
      orgId,
      eventId,
      listenerId,
      replay: replayId,
      held: true,
    } as const;
    await engine.queue.enqueue({ ...emptyBatch, deliveries: [replayed] }, Date.now());
    const data = {
      replayId,
      orgId,
      listenerId,
      from: null,
      to: null,
      type: null,
      event: null,
      ratePerSecond: 1,
      startedAt: new Date().toISOString(),
      lookedAt: 1,
      enqueued: 1,
      share: 1,
      reached: null,
    };
    const cancelled = { type: 'ReplayCancelled', data: { ...data, reason: 'requested' } } as const;
    await engine.store.append(replayStream(replayId), [
      replayCodec.encode(cancelled, { actor: 'test', correlationId: 'test' }, new Date()),
    ]);
    await until(async () => (await counts()).cancelled === 1, 'what was replayed to be cancelled');
  });

  it('keep what a listener answered, and where', async () => {
    const { listenerId } = await engine.subscribe(`${receiver.origin}/1`);
    await engine.publish();
    await until(async () => (await counts()).succeeded === 1, 'the delivery');
    const [record] = (await engine.queue.deliveries({ orgId: 'acme', listenerId })).deliveries;
    const [attempt] = await logOf(engine.queue, 'acme', record?.id ?? '');
    expect(attempt).to.include({ status: 200, address: '127.0.0.1' });
    expect(attempt).not.to.have.property('error');
  });

  it('remove a listener that is gone, and attempt no second time', async () => {
    const hookUrl = `${receiver.origin}/1`;
    receiver.answer(410);
    await engine.subscribe(hookUrl, { ordered: true });
    const events = [1, 2].map(() => ({ id: randomUUID(), type: 'flow.done', data: { orgId: 'acme' }, metadata: {} }));
    await engine.store.append('flow-1', events); // both before the removal, so that the second one is owed too
    await until(async () => {
      const { exhausted, cancelled } = await counts(); // the removal may cancel also the first one
      return exhausted + cancelled === 2;
    }, 'the end of both');
    await until(
      async () =>
        (await load(engine.store, listenerStream('acme', hookUrl), listenerDecider)).state.state === 'unsubscribed',
      'the end',
    );
    expect(receiver.received).to.have.length(1);
  });
});

describe('stopping and starting deliveries', () => {
  it('continues where it stopped: nothing is lost, and no delivered event is repeated', async () => {
    const receiver = await startReceiver();
    const first = await startEngine();
    await first.subscribe(`${receiver.origin}/1`);
    for (let n = 0; n < 50; n += 1) await first.publish({ n });
    await receiver.has(10);
    await first.stop();

    const second = await startEngine({ directory: first.directory, periods: first.periods });
    for (let n = 50; n < 60; n += 1) await second.publish({ n });
    await receiver.has(60);
    await until(async () => (await second.queue.counts(Date.now())).succeeded === 60, 'all to be recorded');
    expect(receiver.received.length).to.equal(60);
    await second.stop();
    await receiver.close();
  });

  it('releases attempts that could not end in time', async () => {
    const receiver = await startReceiver();
    receiver.answer('nothing');
    const first = await startEngine({ attempts: { concurrency: 4, deadlineMs: 10_000 } });
    await first.subscribe(`${receiver.origin}/1`);
    await first.publish();
    await receiver.has(1);
    await first.deliveries.stop(50);
    expect(await first.queue.counts(Date.now())).to.include({ waiting: 1, exhausted: 0 });
    const [record] = (await first.queue.deliveries({ orgId: 'acme' })).deliveries;
    expect(record).to.include({ attempts: 0 });
    await first.queue.close();
    await first.store.close();
    await receiver.close();
  });

  it('starts no delivery to a listener whose removal a restored queue does not know, also not of events before it', async () => {
    const receiver = await startReceiver();
    receiver.answer('nothing');
    const first = await startEngine({ attempts: { concurrency: 4, deadlineMs: 10_000 } });
    const { listenerId } = await first.subscribe(`${receiver.origin}/removed`);
    await first.subscribe(`${receiver.origin}/staying`);
    await first.publish();
    await receiver.has(2);
    await first.deliveries.stop(50);
    await first.publish();
    await first.recordRemoval(listenerId);
    await first.stop();

    receiver.answer(200);
    const second = await startEngine({ directory: first.directory, periods: first.periods });
    await until(async () => (await second.queue.counts(Date.now())).succeeded === 2, 'what the other listener gets');
    await until(second.fannedOut, 'the fan-out');
    expect(receiver.received.slice(2).map(({ path }) => path)).to.deep.equal(['/staying', '/staying']);
    expect(await second.queue.counts(Date.now())).to.include({ waiting: 0, cancelled: 2 });
    await second.stop();
    await receiver.close();
  });

  it('takes flow events that came before the first listener for no sign of loss', async () => {
    const directory = temporaryDirectory();
    const store = openSqliteEventStore({ directory });
    await store.append('flow-early', [
      { id: randomUUID(), type: 'flow.completed', data: { orgId: 'acme' }, metadata: {} },
    ]);
    await store.close();

    const receiver = await startReceiver();
    const engine = await startEngine({ directory });
    await engine.subscribe(`${receiver.origin}/1`);
    const id = await engine.publish();
    const [delivery] = await receiver.has(1);
    expect(JSON.parse(delivery?.body ?? '')).to.include({ id });
    await engine.stop();
    await receiver.close();
  });

  it('sends nothing again by itself when the queue was lost, and says what is wrong', async () => {
    const receiver = await startReceiver();
    const engine = await startEngine();
    await engine.subscribe(`${receiver.origin}/1`);
    await engine.publish();
    await receiver.has(1);
    await engine.deliveries.stop(1_000);
    const restarted = await startEngine({ store: engine.store, periods: engine.periods });
    await until(() => restarted.deliveries.status().fanOut.error !== undefined, 'the fan-out to complain');
    expect(restarted.deliveries.status().fanOut.error).to.have.property('code', 'deliveries_lost');
    await restarted.stop();

    const told = await startEngine({
      store: engine.store,
      periods: engine.periods,
      startFrom: await engine.store.head(),
    });
    await engine.publish();
    await receiver.has(2);
    await told.stop();
    await engine.stop();
    await receiver.close();
    expect(receiver.received.length).to.equal(2);
  });
});
