import { type Attributes, type Span, SpanKind } from '@opentelemetry/api';
import { contextOf, endSpan, markFailed, startSpan, traceparentFor } from '../../kernel/tracing/span.js';
import { addressOf } from '../listener-address.js';
import type { LeasedDelivery, Outcome } from '../queue/leasing.js';
import { type AttemptResult, type AttemptSettings, attemptDelivery } from './attempt.js';

/** A client span in the trace of the flow event, by OpenTelemetry's conventions for HTTP. */
export function attemptWithSpan(
  delivery: LeasedDelivery,
  seenAt: number,
  settings: AttemptSettings,
): Promise<AttemptResult> {
  const span = startSpan('POST', contextOf(delivery.traceparent), () => ({
    kind: SpanKind.CLIENT,
    attributes: attributesOf(delivery),
  }));
  if (!span) return attemptDelivery(delivery, seenAt, settings);
  return attemptAndEnd(span, delivery, seenAt, settings);
}

async function attemptAndEnd(
  span: Span,
  delivery: LeasedDelivery,
  seenAt: number,
  settings: AttemptSettings,
): Promise<AttemptResult> {
  const traceparent = traceparentFor(span, delivery.traceparent);
  try {
    const result = await attemptDelivery({ ...delivery, traceparent }, seenAt, settings);
    describeOutcome(span, result.outcome);
    endSpan(span);
    return result;
  } catch (error) {
    endSpan(span, error);
    throw error;
  }
}

/** Without `url.full`: whoever knows a hook URL can post to it. */
function attributesOf({ id, webhookId, listenerId, eventType, attempt, hookUrl }: LeasedDelivery): Attributes {
  const { host, port, scheme } = addressOf(hookUrl);
  return {
    'http.request.method': 'POST',
    'server.address': host,
    'server.port': port,
    'url.scheme': scheme,
    ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
    'flow_hooks.delivery.id': id,
    'flow_hooks.webhook.id': webhookId,
    'flow_hooks.listener.id': listenerId,
    'flow_hooks.event.type': eventType,
  };
}

function describeOutcome(span: Span, outcome: Outcome): void {
  span.setAttribute('flow_hooks.outcome', outcome.kind);
  if (outcome.kind === 'released') {
    if (outcome.failure !== undefined) markFailed(span, outcome.failure);
    return;
  }
  const { status, error } = outcome.report;
  if (status !== undefined) span.setAttribute('http.response.status_code', status);
  if (error !== undefined) markFailed(span, error === 'http_status' ? String(status) : error);
}
