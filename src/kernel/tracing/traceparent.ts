import type { SpanContext } from '@opentelemetry/api'; // the type alone: most commands make no spans and need not load it

const pattern = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The span of a `traceparent` (W3C Trace Context, version 00); undefined for any other value. */
export function spanContextOf(traceparent: unknown): SpanContext | undefined {
  const [, traceId, spanId, flags] = (typeof traceparent === 'string' && pattern.exec(traceparent)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

export const validTraceparent = (value: unknown): string | undefined =>
  typeof value === 'string' && pattern.test(value) ? value : undefined;

export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

export const isSampled = (traceparent: unknown): boolean => ((spanContextOf(traceparent)?.traceFlags ?? 0) & 1) === 1;
