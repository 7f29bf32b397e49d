import { type Span, SpanKind } from '@opentelemetry/api';
import { endSpan, startSpan } from '../../../kernel/tracing/span.js';
import { contextOf, isSampled } from '../../../kernel/tracing/trace-context.js';
import { eventAttributes, traceparentIn } from '../../event-store/event-span.js';
import type { RecordedEvent } from '../../event-store/event-store.js';

/** Maximum number of spans of one batch: a view that catches up after an outage must not flood the tracing back end. */
const maxSpans = 100;

/**
 * Starts a span for each event of a batch whose trace is recorded, in that trace. Returns the function that ends them, once
 * the batch is in the view or, with `error`, could not be applied.
 */
export function startViewSpans(view: string, events: readonly RecordedEvent[]): (error?: unknown) => void {
  const spans: (Span | undefined)[] = [];
  for (const event of events) {
    if (spans.length === maxSpans) break;
    const traceparent = traceparentIn(event.metadata);
    if (!isSampled(traceparent)) continue;
    const span = startSpan(`project ${view}`, contextOf(traceparent), () => ({
      kind: SpanKind.CONSUMER,
      attributes: {
        ...eventAttributes({ name: 'project', type: 'process' }, event.stream, event),
        'messaging.consumer.group.name': view,
        'messaging.batch.message_count': events.length,
      },
    }));
    if (!span) break; // no SDK
    spans.push(span);
  }
  return (error) => {
    for (const span of spans) endSpan(span, error);
  };
}
