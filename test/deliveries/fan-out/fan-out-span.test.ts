import { randomUUID } from 'node:crypto';
import { SpanKind } from '@opentelemetry/api';
import { expect } from 'chai';
import pino from 'pino';
import type { ListenerPeriod } from '../../../projections/listeners.js';
import { fanOutPass } from '../../../src/deliveries/fan-out/fan-out-pass.js';
import { fanOutShares } from '../../../src/deliveries/fan-out/pace.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import type { FanOutBatch } from '../../../src/queue/fan-out-batch.js';
import type { RecordedEvent } from '../../../src/stores/event-store/event-store.js';
import { open, sortable } from '../../../src/views/projection.js';
import { details } from '../../listeners/fixtures.js';
import { heldIn } from '../../support/deliveries/partition-lease.js';
import { rejection } from '../../support/rejection.js';
import { type RecordedTraces, recordTraces } from '../../support/traces.js';

const published = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

const flowEvent = (metadata: object): RecordedEvent => ({
  id: randomUUID(),
  stream: 'flow-1',
  revision: 0n,
  position: 1n,
  type: 'flow.done',
  data: { orgId: 'acme', text: 'a-secret' },
  metadata,
  created: new Date(),
});

const period: ListenerPeriod = {
  ...details,
  subscription: { ...details.subscription, subscriptionType: '*' },
  state: 'active',
  pausedBy: null,
  status: 'active',
  from: sortable(0n),
  since: '',
  until: open,
};

describe('the span of a flow event in the fan-out', () => {
  let traces: RecordedTraces | undefined;
  let batches: FanOutBatch[];
  let isDown: boolean;

  beforeEach(() => {
    batches = [];
    isDown = false;
  });
  afterEach(async () => {
    await traces?.stop();
    traces = undefined;
  });

  async function fanOut(...events: readonly RecordedEvent[]): Promise<void> {
    async function enqueue(batch: FanOutBatch) {
      if (isDown) throw new StoreUnavailable('down');
      batches.push(batch);
      return { added: 0 };
    }
    const pass = fanOutPass(
      {
        store: undefined as never, // the pass gets its events from the caller
        queue: { enqueue } as unknown as DeliveryQueue, // the pass calls nothing else
        view: {
          async *registeredAt() {
            yield [period];
          },
          position: async () => undefined,
          passed: async () => undefined,
        },
        log: pino({ enabled: false }),
        startFrom: undefined,
        count: 1,
        clock: () => 1_000,
      },
      {
        leases: new Map([[0, heldIn(1n)]]),
        positions: new Map([[0, 0n]]),
        viewAt: undefined,
        signal: new AbortController().signal,
        requireOwnStream: async () => undefined,
        searchableOf: async () => [],
        shareOf: fanOutShares(),
        onFailure: (error) => expect.fail(String(error)),
      },
    );
    await pass.handle({ events, position: 1n, caughtUp: true });
  }

  const traceparents = () => batches.flatMap(({ messages }) => messages.map(({ traceparent }) => traceparent));

  it('is in the trace of the event, and the parent of its attempts', async () => {
    traces = recordTraces();
    await fanOut(flowEvent({ traceparent: published }));
    const span = traces.span('fan_out flow');
    expect(span.kind).to.equal(SpanKind.CONSUMER);
    expect(span.parentSpanContext?.spanId).to.equal('b'.repeat(16));
    expect(span.status.code).to.equal(0);
    expect(span.attributes).to.include({
      'messaging.operation.name': 'fan_out',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'flow',
      'messaging.consumer.group.name': 'fan-out',
      'flow_hooks.event.type': 'flow.done',
    });
    expect(JSON.stringify(span.attributes)).not.to.contain('a-secret');
    expect(traceparents()).to.deep.equal([`00-${'a'.repeat(32)}-${span.spanContext().spanId}-01`]);
  });

  it('is failed where the queue does not take the deliveries', async () => {
    traces = recordTraces();
    isDown = true;
    await rejection(fanOut(flowEvent({ traceparent: published }), flowEvent({})));
    expect(traces.spans().map(({ attributes }) => attributes['error.type'])).to.deep.equal([
      'store_unavailable',
      'store_unavailable',
    ]);
  });

  it('is not needed to hand the trace of the event to the queue', async () => {
    await fanOut(flowEvent({ traceparent: published }), flowEvent({ traceparent: 'none' }), flowEvent({}));
    expect(traceparents()).to.deep.equal([published, undefined, undefined]);
  });
});
