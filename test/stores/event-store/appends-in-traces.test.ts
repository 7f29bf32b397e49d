import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import type { EventStore, JsonObject, NewEvent } from '../../../src/stores/event-store/event-store.js';
import { observeAppends } from '../../../src/stores/event-store/observed-event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { type RecordedTraces, recordTraces } from '../../support/traces.js';

const traceId = 'a'.repeat(32);
const callers = `00-${traceId}-${'b'.repeat(16)}-01`;
const event = (metadata: JsonObject): NewEvent => ({
  id: randomUUID(),
  type: 'ThingHappened',
  data: { secret: 'a-secret' },
  metadata,
});

describe('the appends of a traced event store', () => {
  let store: EventStore;
  let traces: RecordedTraces | undefined;

  beforeEach(() => {
    store = observeAppends(openSqliteEventStore({ directory: temporaryDirectory() }), () => undefined);
  });
  afterEach(async () => {
    await traces?.stop();
    traces = undefined;
    await store.close();
  });

  async function metadataIn(stream: string): Promise<readonly unknown[]> {
    const all: unknown[] = [];
    for await (const { metadata } of store.readStream(stream)) all.push(metadata);
    return all;
  }

  it('are spans in the trace of their events, and the parents of later spans', async () => {
    traces = recordTraces();
    const events = [event({ actor: 'ada', traceparent: callers }), event({ actor: 'ada', traceparent: callers })];
    await store.append('thing-1', events);
    const span = traces.span('append thing');
    expect(span.spanContext().traceId).to.equal(traceId);
    expect(span.parentSpanContext?.spanId).to.equal('b'.repeat(16));
    expect(span.attributes).to.deep.equal({
      'messaging.system': 'flow_hooks',
      'messaging.operation.name': 'append',
      'messaging.operation.type': 'send',
      'messaging.destination.name': 'thing',
      'messaging.message.id': events[0]?.id,
      'messaging.batch.message_count': 2,
      'flow_hooks.event.type': 'ThingHappened',
      'flow_hooks.stream': 'thing-1',
    });
    const traceparent = `00-${traceId}-${span.spanContext().spanId}-01`;
    expect(await metadataIn('thing-1')).to.deep.equal([
      { actor: 'ada', traceparent },
      { actor: 'ada', traceparent },
    ]);
  });

  it('begin a trace where there is none', async () => {
    traces = recordTraces();
    await store.append('thing-1', [event({ actor: 'service' })]);
    const span = traces.span('append thing');
    const { traceId: own, spanId } = span.spanContext();
    expect(span.parentSpanContext).to.equal(undefined);
    expect(await metadataIn('thing-1')).to.deep.equal([{ actor: 'service', traceparent: `00-${own}-${spanId}-01` }]);
  });

  it('that fail are failed spans', async () => {
    traces = recordTraces();
    const down = observeAppends(
      { ...store, append: () => Promise.reject(new StoreUnavailable('down')) },
      () => undefined,
    );
    await rejection(down.append('thing-1', [event({})]));
    const { attributes, status } = traces.span('append thing');
    expect(attributes['error.type']).to.equal('store_unavailable');
    expect(status).to.deep.equal({ code: 2 });
  });

  it('that conflict with another are no failures: the command decides again', async () => {
    traces = recordTraces();
    await rejection(store.append('thing-1', [event({})], { expectedRevision: 7n }));
    const { attributes, status } = traces.span('append thing');
    expect(attributes).to.include({ 'flow_hooks.conflict': true }).and.not.have.property('error.type');
    expect(status.code).to.equal(0);
  });

  it('leave events as they are without an SDK', async () => {
    await store.append('thing-1', [event({ traceparent: callers }), event({})]);
    expect(await metadataIn('thing-1')).to.deep.equal([{ traceparent: callers }, {}]);
  });

  it('repeated with the same event are none, though each repeat is its own span', async () => {
    traces = recordTraces();
    const one = event({});
    const { position } = await store.append('thing-1', [one]);
    expect((await store.append('thing-1', [one])).position).to.equal(position);
    expect(await metadataIn('thing-1')).to.have.length(1);
  });
});
