import { join } from 'node:path';
import { SpanKind } from '@opentelemetry/api';
import { expect } from 'chai';
import { type Receiver, startReceiver } from '../support/receivers-of-listeners/receiver.js';
import { subscribe } from '../support/service/journey.js';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { type ExportedSpan, exportingTo, spansIn } from '../support/spans/exported-spans.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const orgId = 'acme';

describe('the traces of a service on its own stores', function () {
  this.timeout(120_000);
  const file = join(temporaryDirectory(), 'spans.jsonl');
  const callers = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
  let service: ServiceProcess;
  let receiver: Receiver;
  let spans: readonly ExportedSpan[];

  before(async () => {
    receiver = await startReceiver();
    service = await startService({
      environment: { ...exportingTo(file), SEND_TRACEPARENT: 'true', LOG_LEVEL: 'info' },
    });
    await subscribe(service, `${receiver.origin}/a-secret-path?token=a-secret-query`, { orgId });
    const published = await service.fetch('/api/flows?token=a-secret-query', {
      json: { orgId, type: 'flow.done', data: { text: 'a-secret-body' } },
      headers: { traceparent: `00-${callers.traceId}-${callers.spanId}-01` },
    });
    expect(published.status).to.equal(202);
    await receiver.has(1);
    await service.fetch('/healthz');
    await service.stop(); // which exports what both threads have left
    spans = spansIn(file);
  });
  after(() => receiver.close());

  const spanOf = (name: string, traceId?: string): ExportedSpan => {
    const named = spans.filter((span) => span.name === name && (traceId === undefined || span.traceId === traceId));
    expect(named.length, `spans named ${name}`).to.equal(1);
    return named[0] as ExportedSpan; // there is one
  };

  it('connect a request with its append and the views', () => {
    const request = spanOf('POST /api/hooks/subscribe/flows');
    expect(request.kind).to.equal(SpanKind.SERVER);
    expect(request.parentSpanId).to.equal(undefined);
    expect(request.attributes).to.include({
      'http.request.method': 'POST',
      'http.route': '/api/hooks/subscribe/flows',
      'http.response.status_code': 201,
      'url.path': '/api/hooks/subscribe/flows',
      'url.scheme': 'http',
    });
    const append = spanOf('append listener', request.traceId);
    expect(append).to.include({ parentSpanId: request.spanId, kind: SpanKind.PRODUCER });
    for (const view of ['project listeners', 'project listener-history']) {
      expect(spanOf(view, request.traceId)).to.include({ parentSpanId: append.spanId, kind: SpanKind.CONSUMER });
    }
  });

  it('connect the publisher, the fan-out and the attempt on the thread of the dispatcher, and the listener', () => {
    const request = spanOf('POST /api/flows', callers.traceId);
    expect(request).to.include({ parentSpanId: callers.spanId, threadId: 0 });
    const append = spanOf('append flow', callers.traceId);
    expect(append).to.include({ parentSpanId: request.spanId, threadId: 0 });
    const fanOut = spanOf('fan_out flow', callers.traceId);
    expect(fanOut).to.include({ parentSpanId: append.spanId, kind: SpanKind.CONSUMER, failed: false });
    expect(fanOut.threadId).not.to.equal(0);
    const attempt = spanOf('POST', callers.traceId);
    expect(attempt).to.include({ parentSpanId: fanOut.spanId, kind: SpanKind.CLIENT, threadId: fanOut.threadId });
    expect(attempt.attributes).to.include({
      'http.request.method': 'POST',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(receiver.origin).port),
      'http.response.status_code': 200,
      'flow_hooks.outcome': 'succeeded',
    });
    expect(receiver.received[0]?.headers.traceparent).to.equal(`00-${callers.traceId}-${attempt.spanId}-01`);
  });

  it('contain no secret: no path of a listener, no query, no body', () => {
    expect(spans.length).to.be.above(5);
    expect(JSON.stringify(spans)).not.to.contain('a-secret');
  });

  it('leave health checks out', () => {
    expect(JSON.stringify(spans)).not.to.contain('/healthz');
  });

  it('are named in the log of their requests', () => {
    const line = service
      .printed()
      .split('\n')
      .find((each) => each.includes('"path":"/api/flows"'));
    expect(line).to.contain(`"traceId":"${callers.traceId}"`);
  });
});
