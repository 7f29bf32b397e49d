import { expect } from 'chai';
import { InvalidRequest } from '../../src/kernel/domain-error.js';
import { ProjectionFailed } from '../../src/views/errors.js';
import { rebuild } from '../../src/views/rebuilding/rebuild.js';
import { skipEvent, skippedEvents } from '../../src/views/skipped-events.js';
import { newEvents, newStream, storeOnDouble } from '../stores/event-store/eventstoredb/support.js';
import { rejection } from '../support/rejection.js';
import { until } from '../support/until.js';
import { counters, setCounter } from './counters.js';
import { viewBench } from './view-bench.js';

describe('an event that an operator has a view leave out', () => {
  let bench: ReturnType<typeof viewBench>;
  const context = { cause: { actor: 'operator:ada', correlationId: 'test' }, now: new Date() };
  const failing = () =>
    counters({
      onEvent: (name) => {
        if (name === 'bad') throw new Error('cannot count that');
      },
    });

  beforeEach(() => {
    bench = viewBench();
  });
  afterEach(() => bench.close());

  it('is passed by the view that stopped before it, whose error is recorded until then', async () => {
    const { store, readModel, started, counted } = bench;
    const follower = started(failing());
    const bad = await setCounter(store, 'bad', 1);
    const last = await setCounter(store, 'a', 2);
    await until(async () => (await readModel.viewError(counters())) !== undefined, 'the error');
    expect(await readModel.viewError(counters())).to.include({ position: bad });

    const skipped = await skipEvent(store, counters(), { position: bad, why: 'a typing error' }, context);
    expect(skipped).to.include({ projection: 'counters', eventType: 'CounterSet', position: `${bad}` });
    await follower.passed(last);
    expect(await counted('a')).to.equal(2);
    expect(await counted('bad')).to.equal(undefined);
    await until(async () => (await readModel.viewError(counters())) === undefined, 'the end of the error');
  });

  it('is left out by a rebuild that stood before it, and by every one after', async () => {
    const { store, readModel, counted } = bench;
    await setCounter(store, 'a', 1);
    const bad = await setCounter(store, 'bad', 1);
    await setCounter(store, 'b', 2);
    const failed = await rejection(rebuild({ store, readModel, projection: failing() }));
    expect(failed).to.be.instanceOf(ProjectionFailed).and.to.include({ position: bad });
    await skipEvent(store, counters(), { position: bad, why: 'a typing error' }, context);
    for (const resumed of [true, false]) {
      expect(await rebuild({ store, readModel, projection: failing() })).to.include({ resumed });
      expect([await counted('a'), await counted('bad'), await counted('b')]).to.deep.equal([1, undefined, 2]);
    }
  });

  it('is recorded once, with who and why, and for this view alone', async () => {
    const { store } = bench;
    const position = await setCounter(store, 'bad', 1);
    for (const why of ['one', 'two']) await skipEvent(store, counters(), { position, why }, context);
    const recorded: unknown[] = [];
    for await (const { type, data, metadata } of store.readStream('service-projections')) {
      expect(metadata).to.include({ actor: 'operator:ada' });
      recorded.push([type, (data as { why: string }).why]);
    }
    expect(recorded).to.deep.equal([['ProjectionEventSkipped', 'one']]);
    expect((await skippedEvents(store, counters())).size).to.equal(1);
    expect((await skippedEvents(store, { ...counters(), name: 'others' })).size).to.equal(0);
  });

  it('has to be there, and to be one of the view’s own', async () => {
    const { store } = bench;
    const { position } = await store.append('other-1', [
      { id: crypto.randomUUID(), type: 'CounterSet', data: {}, metadata: {} },
    ]);
    for (const nowhere of [position, position + 7n]) {
      const refused = await rejection(skipEvent(store, counters(), { position: nowhere, why: 'x' }, context));
      expect(refused).to.be.instanceOf(InvalidRequest);
    }
  });

  it('has to be there on EventStoreDB too, which fails at a position at which nothing was written', async () => {
    const on = await storeOnDouble();
    try {
      const { position } = await on.store.append(newStream(), newEvents(2));
      for (const nowhere of [position - 1n, position + 1_000_000n]) {
        const refused = await rejection(skipEvent(on.store, counters(), { position: nowhere, why: 'x' }, context));
        expect(refused, String(nowhere)).to.be.instanceOf(InvalidRequest);
      }
    } finally {
      await on.close();
    }
  });
});
