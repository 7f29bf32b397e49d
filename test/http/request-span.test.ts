import Router from '@koa/router';
import { SpanKind } from '@opentelemetry/api';
import { expect } from 'chai';
import { causeOf, type RequestState, type Routes } from '../../src/http/context.js';
import { type Served, serveRoutes } from '../support/service/serve-routes.js';
import { type RecordedTraces, recordTraces } from '../support/traces.js';

const callers = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

describe('the span of a request', () => {
  const router: Routes = new Router<RequestState>();
  router.get('/things/:id', (ctx) => {
    ctx.body = causeOf(ctx.state, 'ada');
  });
  router.get('/broken', () => {
    throw new Error('https://a-secret.example/');
  });
  router.get('/healthz', (ctx) => {
    ctx.body = {};
  });
  let served: Served;
  let traces: RecordedTraces | undefined;

  before(async () => {
    served = await serveRoutes(router);
  });
  after(() => served.close());
  afterEach(async () => {
    await traces?.stop();
    traces = undefined;
  });

  it('is named after the route, belongs to the trace of the caller, and is the cause of appended events', async () => {
    traces = recordTraces();
    const { body } = await served.get('/things/7?token=a-secret', { traceparent: callers, authorization: 'a-secret' });
    const span = traces.span('GET /things/:id');
    expect(span.kind).to.equal(SpanKind.SERVER);
    expect(span.parentSpanContext).to.include({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) });
    expect(span.attributes).to.deep.equal({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'http.route': '/things/:id',
      'network.protocol.version': '1.1',
      'url.path': '/things/7',
      'url.scheme': 'http',
    });
    expect(body.traceparent).to.equal(`00-${'a'.repeat(32)}-${span.spanContext().spanId}-01`);
  });

  it('fails with an error of the service, and not with one of the caller', async () => {
    traces = recordTraces();
    await served.get('/broken');
    await served.get('/nowhere');
    expect(traces.span('GET /broken').attributes).to.include({ 'error.type': '500', 'http.response.status_code': 500 });
    expect(traces.span('GET /broken').status).to.deep.equal({ code: 2 });
    expect(traces.span('GET').attributes)
      .to.include({ 'http.response.status_code': 404 })
      .and.not.have.property('error.type');
    expect(JSON.stringify(traces.spans().map(({ attributes, events }) => [attributes, events]))).not.to.contain(
      'a-secret',
    );
  });

  it('is named HTTP for a method that is not common', async () => {
    traces = recordTraces();
    await (await fetch(`${served.origin}/things/7`, { method: 'PROPFIND' })).text();
    expect(traces.span('HTTP').attributes).to.include({
      'http.request.method': '_OTHER',
      'http.request.method_original': 'PROPFIND',
    });
  });

  it('is not made for health checks', async () => {
    traces = recordTraces();
    await served.get('/healthz');
    expect(traces.spans()).to.deep.equal([]);
  });

  it('is not needed to pass the trace of the caller on', async () => {
    expect((await served.get('/things/7', { traceparent: callers })).body.traceparent).to.equal(callers);
    expect((await served.get('/things/7', { traceparent: 'none' })).body).not.to.have.property('traceparent');
  });
});
