import { type Attributes, type Span, SpanKind } from '@opentelemetry/api';
import { contextOf, endSpan, markFailed, startSpan, traceparentFor } from '../../kernel/tracing/span.js';
import type { AttemptOutcome, LeasedDelivery } from '../../queue/leasing.js';
import { addressOf } from '../../queue/listener-address.js';

type Attempt = (delivery: LeasedDelivery) => Promise<AttemptOutcome>;

/** Makes an attempt in a client span of the trace of the flow event, by OpenTelemetry's conventions for HTTP. */
export function inAttemptSpan(delivery: LeasedDelivery, attempt: Attempt): Promise<AttemptOutcome> {
  const span = startSpan('POST', contextOf(delivery.traceparent), () => ({
    kind: SpanKind.CLIENT,
    attributes: attributesOf(delivery),
  }));
  return span ? attemptAndEnd(span, delivery, attempt) : attempt(delivery);
}

async function attemptAndEnd(span: Span, delivery: LeasedDelivery, attempt: Attempt): Promise<AttemptOutcome> {
  const traceparent = traceparentFor(span, delivery.traceparent);
  try {
    const outcome = await attempt({ ...delivery, traceparent });
    describeOutcome(span, outcome);
    endSpan(span);
    return outcome;
  } catch (error) {
    endSpan(span, error);
    throw error;
  }
}

/** Attributes without `url.full`: a hook URL lets its holder post to it. */
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

function describeOutcome(span: Span, outcome: AttemptOutcome): void {
  span.setAttribute('flow_hooks.outcome', outcome.kind);
  if (outcome.kind === 'released') {
    if (outcome.failure !== undefined) markFailed(span, outcome.failure);
    return;
  }
  const { status, error } = outcome.report;
  if (status !== undefined) span.setAttribute('http.response.status_code', status);
  if (error !== undefined) markFailed(span, error === 'http_status' ? String(status) : error);
}
