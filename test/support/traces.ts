import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, type ContextManager, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

/** Spans of this process, until `stop`. */
export type RecordedTraces = {
  spans: () => readonly ReadableSpan[];
  /** The only span of this name. */
  span: (name: string) => ReadableSpan;
  stop: () => Promise<void>;
};

/** Registers an SDK in this process that keeps its spans in memory. */
export function recordTraces(settings: { sampler?: Sampler } = {}): RecordedTraces {
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

/** A context that follows promises, as the SDK for Node has it. */
export function asyncContexts(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (context, work, self, ...args) => storage.run(context, () => work.call(self as never, ...args)), // no work here has a `this`
    bind: (_context, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}
