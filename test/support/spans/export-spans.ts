import { appendFileSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { ExportedSpan } from './exported-spans.js';

// Loaded into a service as an operator loads an SDK: with `--import` in NODE_OPTIONS. Writes a line of JSON for each span.

const file = process.env.SPANS_FILE ?? '';

const exporter: SpanExporter = {
  export(spans, done) {
    for (const span of spans) appendFileSync(file, `${JSON.stringify(lineOf(span))}\n`);
    done({ code: 0 });
  },
  shutdown: async () => undefined,
};

const lineOf = (span: ReadableSpan): ExportedSpan => {
  const { traceId, spanId } = span.spanContext();
  const { name, kind, attributes, status } = span;
  const { pid } = process;
  const parentSpanId = span.parentSpanContext?.spanId;
  return { name, traceId, spanId, parentSpanId, kind, failed: status.code === 2, attributes, pid, threadId };
};

// Exports only when it is flushed, as an SDK with a long interval between exports.
const processor = new BatchSpanProcessor(exporter, { scheduledDelayMillis: 600_000 });
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }));
