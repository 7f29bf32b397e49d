import {
  type Context,
  context,
  createContextKey,
  isSpanContextValid,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { DomainError } from '../domain-error.js';
import { version } from '../version.js';
import { spanContextOf, traceparentOf } from './traceparent.js';

const scope = 'flow-hooks';

/** Whether an OpenTelemetry SDK is registered in this thread. One that was loaded with its own copy of the API counts too. */
function isTracing(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(scope) !== undefined;
}

/** The parent of a span that belongs to the trace of a `traceparent`; without a valid one, the span begins a trace. */
export function contextOf(traceparent: unknown): Context {
  const parent = spanContextOf(traceparent);
  return parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

/**
 * Starts a span; undefined if no SDK is registered, and then `options` is not called. Attributes must contain no secret: no
 * path of a hook URL, no token, no body.
 */
export function startSpan(name: string, parent: Context, options: () => SpanOptions): Span | undefined {
  return isTracing() ? trace.getTracer(scope, version).startSpan(name, options(), parent) : undefined;
}

/** The `traceparent` for children of this span; `otherwise` if there is no span. */
export function traceparentFor(span: Span | undefined, otherwise: string | undefined): string | undefined {
  const own = span?.spanContext();
  return own && isSpanContextValid(own) ? traceparentOf(own) : otherwise;
}

/** Runs `work` with the span as the current one, so that spans of instrumented libraries become its children. */
export const withSpan = <Result>(span: Span | undefined, work: () => Result): Result =>
  span ? context.with(trace.setSpan(context.active(), span), work) : work();

/** With the key that SDKs and instrumentations check before they make a span or send a trace context. */
const suppressed = ROOT_CONTEXT.setValue(createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING'), true);

/** Runs `work` without spans of instrumented libraries. */
export const withoutTracing = <Result>(work: () => Result): Result => context.with(suppressed, work);

/** Ends a span; with `error`, as a failed one. The error's message is left out, because it may quote a URL or a body. */
export function endSpan(span: Span | undefined, error?: unknown): void {
  if (!span) return;
  if (error !== undefined) markFailed(span, errorType(error));
  span.end();
}

/** `error.type`: a class of failures with few values. */
export function markFailed(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

const errorType = (error: unknown): string => {
  if (error instanceof DomainError) return error.code;
  return error instanceof Error ? error.name : 'unknown';
};
