import { expect } from 'chai';
import type { RecordedEvent } from '../../../src/stores/event-store/event-store.js';
import { startViewSpans } from '../../../src/views/following/view-spans.js';
import { type RecordedTraces, recordTraces } from '../../support/traces.js';
import { until } from '../../support/until.js';
import { counterSet, counters } from '../counters.js';
import { viewBench } from '../view-bench.js';

const traceparent = (flags: string, digit = 'a') => `00-${digit.repeat(32)}-${'b'.repeat(16)}-${flags}`;

const events = (...metadata: readonly unknown[]): readonly RecordedEvent[] =>
  metadata.map((each, index) => ({
    id: `event-${index}`,
    stream: 'counter-1',
    revision: BigInt(index),
    position: BigInt(index),
    type: 'CounterSet',
    data: {},
    metadata: each,
    created: new Date(),
  }));

describe('the spans of a view', () => {
  let traces: RecordedTraces;
  beforeEach(() => {
    traces = recordTraces();
  });
  afterEach(() => traces.stop());

  const ids = () => traces.spans().map(({ attributes }) => attributes['messaging.message.id']);

  it('are in the traces of its events, those that are recorded', () => {
    const [first, unrecorded, last] = [traceparent('01'), traceparent('00'), traceparent('01', 'c')];
    const given = [first, undefined, unrecorded, 'none', last];
    const batch = events({}, undefined, ...given.map((each) => ({ traceparent: each })));
    startViewSpans('counters', batch)();
    expect(ids()).to.deep.equal(['event-2', 'event-6']);
    expect(traces.spans().map((span) => span.spanContext().traceId)).to.deep.equal(['a'.repeat(32), 'c'.repeat(32)]);
    expect(traces.spans().map(({ status }) => status.code)).to.deep.equal([0, 0]);
  });

  it('are failed for the events that are not in the view', () => {
    const recorded = { traceparent: traceparent('01') };
    startViewSpans('counters', events(recorded, recorded))({ error: new TypeError(), from: 1n });
    expect(traces.spans().map(({ attributes }) => attributes['error.type'])).to.deep.equal([undefined, 'TypeError']);
  });

  it('are at most a hundred for a batch', () => {
    startViewSpans('counters', events(...Array.from({ length: 150 }, () => ({ traceparent: traceparent('01') }))))();
    expect(traces.spans()).to.have.length(100);
  });

  it('end when the event is in the view, and again after a failure', async () => {
    const bench = viewBench();
    let fails = true;
    const onEvent = () => {
      if (fails) throw new Error('a bug');
    };
    const event = { ...counterSet('one', 1), metadata: { traceparent: traceparent('01') } };
    await bench.store.append('counter-one', [event]);
    fails = false;
    const follower = bench.started(counters({ onEvent }));
    await until(() => follower.status().caughtUp, 'the first build, which makes no span');
    fails = true;
    await bench.store.append('counter-two', [{ ...counterSet('two', 2), metadata: event.metadata }]);
    await until(() => traces.spans().length > 0, 'the failure');
    fails = false;
    await until(async () => (await bench.counted('two')) === 2, 'the event to be in the view');
    await until(() => traces.spans().at(-1)?.status.code === 0, 'the span');
    await bench.close();
    expect(traces.spans()[0]?.attributes['error.type']).to.equal('projection_failed');
  });
});
