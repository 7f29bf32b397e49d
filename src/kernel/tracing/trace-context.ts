import {
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type SpanContext,
  TraceFlags,
  trace,
} from '@opentelemetry/api';

const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The span that a `traceparent` names (W3C Trace Context, version 00); undefined for any other value. */
export function spanContextOf(traceparent: unknown): SpanContext | undefined {
  const [, traceId, spanId, flags] = (typeof traceparent === 'string' && pattern.exec(traceparent)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const named = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(named) ? named : undefined;
}

/** The value itself if it is a `traceparent`, else undefined. */
export const validTraceparent = (value: unknown): string | undefined =>
  spanContextOf(value) ? (value as string) : undefined; // only a string names a span

/** The parent of a span that belongs to the trace of a `traceparent`; without a valid one, the span begins a trace. */
export function contextOf(traceparent: unknown): Context {
  const parent = spanContextOf(traceparent);
  return parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

/** The `traceparent` of a span, as its children need it. */
export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Whether a trace is recorded, as its `traceparent` says. */
export const isSampled = (traceparent: unknown): boolean =>
  ((spanContextOf(traceparent)?.traceFlags ?? TraceFlags.NONE) & TraceFlags.SAMPLED) !== 0;
