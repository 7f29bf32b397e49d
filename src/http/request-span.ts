import { type Attributes, context, type Span, SpanKind, trace } from '@opentelemetry/api';
import { contextOf, markFailed, startSpan } from '../kernel/tracing/span.js';
import type { Context } from './context.js';

/** Asked for every few seconds, by programs. */
const untraced: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** Methods that the conventions know; any other word is `_OTHER`. */
const methods: ReadonlySet<string> = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
]);

/**
 * Starts the server span of a request (OpenTelemetry's conventions for HTTP), in the caller's trace, or below the span of an
 * instrumented HTTP server. The query and the headers are left out: they may contain secrets.
 */
export function startRequestSpan({ method, path, protocol, req }: Context, traceparent?: string): Span | undefined {
  if (untraced.has(path)) return undefined;
  const isInstrumented = trace.getActiveSpan() !== undefined;
  const name = methods.has(method) ? method : 'HTTP';
  return startSpan(name, isInstrumented ? context.active() : contextOf(traceparent), () => ({
    kind: isInstrumented ? SpanKind.INTERNAL : SpanKind.SERVER,
    attributes: {
      'http.request.method': methods.has(method) ? method : '_OTHER',
      ...(!methods.has(method) && { 'http.request.method_original': method }),
      'url.path': path,
      'url.scheme': protocol,
      'network.protocol.version': req.httpVersion,
    } satisfies Attributes,
  }));
}

/** Ends the span of a request. `route`: the template of its route, undefined if it has none. */
export function endRequestSpan(
  span: Span | undefined,
  { method, route, status }: { method: string; route: string | undefined; status: number },
): void {
  if (!span) return;
  if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
  span.setAttribute('http.response.status_code', status);
  if (status >= 500) markFailed(span, String(status));
  span.end();
}
