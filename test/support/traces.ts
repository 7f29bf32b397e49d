import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

/** Spans of this process, until `stop`. */
export type RecordedTraces = {
  readonly spans: () => readonly ReadableSpan[];
  /** The only span of this name. */
  readonly span: (name: string) => ReadableSpan;
  readonly stop: () => Promise<void>;
};

/** Registers an SDK in this process that keeps its spans in memory. */
export function recordTraces(settings: { readonly sampler?: Sampler } = {}): RecordedTraces {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ ...settings, spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  return {
    spans: () => exporter.getFinishedSpans(),
    span(name) {
      const named = exporter.getFinishedSpans().filter((span) => span.name === name);
      const [only] = named;
      if (!only || named.length > 1) throw new Error(`${named.length} spans are named ${name}`);
      return only;
    },
    async stop() {
      trace.disable();
      await provider.shutdown();
    },
  };
}
