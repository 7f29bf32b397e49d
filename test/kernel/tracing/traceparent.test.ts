import { trace } from '@opentelemetry/api';
import { expect } from 'chai';
import { contextOf } from '../../../src/kernel/tracing/span.js';
import { isSampled, spanContextOf, traceparentOf, validTraceparent } from '../../../src/kernel/tracing/traceparent.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const sampled = `00-${traceId}-${spanId}-01`;

describe('a traceparent', () => {
  it('names the parent of a span, and is written as it was read', () => {
    const parent = spanContextOf(sampled);
    expect(parent).to.deep.equal({ traceId, spanId, traceFlags: 1, isRemote: true });
    expect(parent && traceparentOf(parent)).to.equal(sampled);
    expect(trace.getSpanContext(contextOf(sampled))).to.deep.equal(parent);
  });

  it('says whether its trace is recorded', () => {
    expect([sampled, `00-${traceId}-${spanId}-00`, undefined].map(isSampled)).to.deep.equal([true, false, false]);
  });

  const invalid = {
    'of another version': `01-${traceId}-${spanId}-01`,
    'in capitals': sampled.toUpperCase(),
    'with the trace ID zero': `00-${'0'.repeat(32)}-${spanId}-01`,
    'with the span ID zero': `00-${traceId}-${'0'.repeat(16)}-01`,
    'with more after it': `${sampled}-00`,
    'that is a number': 7,
    'that is missing': undefined,
  };
  for (const [what, value] of Object.entries(invalid)) {
    it(`${what} names nothing, and the span begins a trace`, () => {
      expect(spanContextOf(value)).to.equal(undefined);
      expect(validTraceparent(value)).to.equal(undefined);
      expect(trace.getSpanContext(contextOf(value))).to.equal(undefined);
    });
  }
});
