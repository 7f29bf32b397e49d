import { setTimeout as pause } from 'node:timers/promises';
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { AlwaysOffSampler } from '@opentelemetry/sdk-trace-base';
import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { endSpan, startSpan, traceparentFor, withoutTracing, withSpan } from '../../../src/kernel/tracing/span.js';
import { asyncContexts, type RecordedTraces, recordTraces } from '../../support/traces.js';

const given = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

describe('a span', () => {
  let traces: RecordedTraces | undefined;
  afterEach(async () => {
    await traces?.stop();
    traces = undefined;
  });

  it('is not made without an SDK, nor are its attributes, and the given trace goes on', () => {
    const span = startSpan('work', ROOT_CONTEXT, () => expect.fail('attributes cost time'));
    expect(span).to.equal(undefined);
    expect(traceparentFor(span, given)).to.equal(given);
    expect(withSpan(span, () => 'result')).to.equal('result');
  });

  it('is the parent of later spans', () => {
    traces = recordTraces();
    const span = startSpan('work', ROOT_CONTEXT, () => ({}));
    endSpan(span);
    const { traceId, spanId } = traces.span('work').spanContext();
    expect(traceparentFor(span, given)).to.equal(`00-${traceId}-${spanId}-01`);
  });

  it('that is not recorded passes that on', () => {
    traces = recordTraces({ sampler: new AlwaysOffSampler() });
    const span = startSpan('work', ROOT_CONTEXT, () => ({}));
    expect(traceparentFor(span, given)).to.match(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  });

  it('that failed has the class of the failure, not its message, which may quote a URL', () => {
    traces = recordTraces();
    for (const error of [
      new StoreUnavailable('https://a.secret/'),
      new TypeError('https://a.secret/'),
      'https://a.secret/',
    ])
      endSpan(
        startSpan('work', ROOT_CONTEXT, () => ({})),
        error,
      );
    const spans = traces.spans();
    expect(spans.map(({ attributes }) => attributes['error.type'])).to.deep.equal([
      'store_unavailable',
      'TypeError',
      'unknown',
    ]);
    expect(spans.map(({ status }) => status)).to.deep.equal([{ code: 2 }, { code: 2 }, { code: 2 }]);
  });

  describe('in a process with instrumented libraries', () => {
    beforeEach(() => {
      traces = recordTraces();
      context.setGlobalContextManager(asyncContexts());
    });
    afterEach(() => context.disable());

    it('is the current one while its work runs', () => {
      const span = startSpan('work', ROOT_CONTEXT, () => ({}));
      expect(withSpan(span, () => trace.getActiveSpan())).to.equal(span);
      expect(trace.getActiveSpan()).to.equal(undefined);
    });

    it('is not made by them where tracing is suppressed', async () => {
      const library = () => trace.getTracer('a library').startSpan('a request').end();
      await withoutTracing(async () => {
        await pause(1);
        library();
      });
      expect(traces?.spans()).to.deep.equal([]);
      library();
      expect(traces?.spans()).to.have.length(1);
    });
  });
});
