import { setTimeout as pause } from 'node:timers/promises';
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

/** An SDK that was loaded with its own copy of the API counts too. */
function isTracing(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(scope) !== undefined;
}

/** Context of the span; one without a valid `traceparent` begins a trace. */
export function contextOf(traceparent: unknown): Context {
  const parent = spanContextOf(traceparent);
  return parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

/**
 * Undefined if no SDK is registered; then `options` is not called. Attributes contain no secret: no path of a hook URL,
 * no token, no body.
 */
export function startSpan(name: string, parent: Context, options: () => SpanOptions): Span | undefined {
  return isTracing() ? trace.getTracer(scope, version).startSpan(name, options(), parent) : undefined;
}

/** The `traceparent` for children of this span; `otherwise` if there is no span. */
export function traceparentFor(span: Span | undefined, otherwise: string | undefined): string | undefined {
  const own = span?.spanContext();
  return own && isSpanContextValid(own) ? traceparentOf(own) : otherwise;
}

/** Makes spans of instrumented libraries children of this one. */
export const withSpan = <Result>(span: Span | undefined, work: () => Result): Result =>
  span ? context.with(trace.setSpan(context.active(), span), work) : work();

/** The key that SDKs and instrumentations check. */
const suppressed = ROOT_CONTEXT.setValue(createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING'), true);

export const withoutTracing = <Result>(work: () => Result): Result => context.with(suppressed, work);

/** `error` marks it as failed; its message is left out, because it may quote a URL or a body. */
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

type Flushable = { forceFlush?: () => Promise<void> };
type MaybeProxy = Flushable & { getDelegate?: () => Flushable };

/** A failing tracing back end must not delay a stop. */
const timeoutMs = 2_000;

/**
 * Exports the spans of this thread's SDK, which would be lost with the thread. SDKs report failed exports themselves.
 */
export async function flushSpans(): Promise<void> {
  const provider = trace.getTracerProvider() as MaybeProxy; // the API declares neither method
  const sdk = provider.getDelegate?.() ?? provider;
  if (!sdk.forceFlush) return;
  await Promise.race([sdk.forceFlush().catch(() => undefined), pause(timeoutMs, undefined, { ref: false })]);
}
