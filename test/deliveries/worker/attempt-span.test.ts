import { SpanKind } from '@opentelemetry/api';
import { expect } from 'chai';
import type { ListenerRequest, PostResult } from '../../../src/deliveries/posting/post.js';
import { attemptDelivery } from '../../../src/deliveries/worker/attempt.js';
import { inAttemptSpan } from '../../../src/deliveries/worker/attempt-span.js';
import type { AttemptSettings } from '../../../src/deliveries/worker/worker-settings.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import { queuedListener } from '../../support/deliveries/delivery-batches.js';
import {
  answered,
  attemptSettings,
  headersWith,
  oneSecret,
  openPermit,
} from '../../support/deliveries/worker-settings.js';
import { rejection } from '../../support/rejection.js';
import { type RecordedTraces, recordTraces } from '../../support/traces.js';

const traceId = 'a'.repeat(32);
const fanOut = `00-${traceId}-${'b'.repeat(16)}-01`;

const delivery = (fields: Partial<LeasedDelivery> = {}): LeasedDelivery => {
  const {
    position: _,
    paused: __,
    ...listener
  } = queuedListener({ hookUrl: 'https://hooks.example.com/a-secret?key=a-secret' });
  return {
    ...listener,
    id: 'd1',
    webhookId: 'w1',
    eventId: 'e1',
    asRead: '0.0',
    eventType: 'flow.completed',
    body: '{"text":"a-secret"}',
    attempt: 1,
    enqueuedAt: 0,
    recordedAt: 0,
    traceparent: fanOut,
    ...fields,
  };
};

describe('the span of an attempt', () => {
  let traces: RecordedTraces | undefined;
  let sent: ListenerRequest['headers'];

  afterEach(async () => {
    await traces?.stop();
    traces = undefined;
  });

  /** One attempt that ends like this. */
  async function attempt(result: PostResult, fields: Partial<AttemptSettings> = {}, given = delivery()) {
    const settings: AttemptSettings = {
      ...attemptSettings(),
      async post({ headers }) {
        sent = headers;
        return result;
      },
      ...fields,
    };
    return inAttemptSpan(given, (traced) => attemptDelivery(traced, openPermit, settings));
  }

  it('is in the trace of its flow event, with the host of the listener and nothing more of its URL', async () => {
    traces = recordTraces();
    await attempt(answered);
    const span = traces.span('POST');
    expect(span.kind).to.equal(SpanKind.CLIENT);
    expect(span.spanContext().traceId).to.equal(traceId);
    expect(span.parentSpanContext?.spanId).to.equal('b'.repeat(16));
    const { listenerId, ...rest } = { listenerId: span.attributes['flow_hooks.listener.id'], ...span.attributes };
    expect(listenerId).to.be.a('string');
    expect(rest).to.include({
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'server.address': 'hooks.example.com',
      'server.port': 443,
      'url.scheme': 'https',
      'flow_hooks.delivery.id': 'd1',
      'flow_hooks.webhook.id': 'w1',
      'flow_hooks.event.type': 'flow.completed',
      'flow_hooks.outcome': 'succeeded',
    });
    expect(rest).not.to.have.property('http.request.resend_count');
    expect(JSON.stringify(rest)).not.to.contain('a-secret');
  });

  it('of a retry counts the attempts before it', async () => {
    traces = recordTraces();
    await attempt(answered, {}, delivery({ attempt: 3 }));
    expect(traces.span('POST').attributes['http.request.resend_count']).to.equal(2);
  });

  const failures: readonly (readonly [PostResult, string, string])[] = [
    [{ kind: 'answered', status: 503, answer: 'a-secret' }, '503', 'failed'],
    [{ kind: 'failed', error: 'timeout' }, 'timeout', 'failed'],
    [{ kind: 'failed', error: 'local_network' }, 'local_network', 'released'],
  ];
  for (const [result, type, outcome] of failures) {
    it(`fails with ${type}`, async () => {
      traces = recordTraces();
      await attempt(result);
      const { attributes, status } = traces.span('POST');
      expect(attributes).to.include({ 'error.type': type, 'flow_hooks.outcome': outcome });
      expect(status).to.deep.equal({ code: 2 });
      expect(JSON.stringify(attributes)).not.to.contain('a-secret');
    });
  }

  it('that was withheld is no failure', async () => {
    traces = recordTraces();
    await attempt({ kind: 'withheld' });
    const { attributes, status } = traces.span('POST');
    expect(attributes['flow_hooks.outcome']).to.equal('released');
    expect(status.code).to.equal(0);
  });

  it('ends when the attempt could not be made', async () => {
    traces = recordTraces();
    const post = () => Promise.reject(new StoreUnavailable('down'));
    expect(await rejection(attempt(answered, { post }))).to.be.instanceOf(StoreUnavailable);
    expect(traces.span('POST').attributes['error.type']).to.equal('store_unavailable');
  });

  describe('as the listener sees it', () => {
    it('is not sent unless that is configured', async () => {
      traces = recordTraces();
      await attempt(answered);
      expect(sent).not.to.have.property('traceparent');
    });

    it('is its parent where that is configured', async () => {
      traces = recordTraces();
      await attempt(answered, { headersOf: headersWith(oneSecret, true) });
      expect(sent.traceparent).to.equal(`00-${traceId}-${traces.span('POST').spanContext().spanId}-01`);
    });

    it('is the trace of the publisher where that is configured and there is no SDK', async () => {
      await attempt(answered, { headersOf: headersWith(oneSecret, true) });
      expect(sent.traceparent).to.equal(fanOut);
      await attempt(answered, { headersOf: headersWith(oneSecret, true) }, delivery({ traceparent: undefined }));
      expect(sent).not.to.have.property('traceparent');
    });
  });
});
