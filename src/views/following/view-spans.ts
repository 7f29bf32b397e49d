import { type Span, SpanKind } from '@opentelemetry/api';
import { contextOf, endSpan, startSpan } from '../../kernel/tracing/span.js';
import { isSampled } from '../../kernel/tracing/traceparent.js';
import { eventAttributes, traceparentIn } from '../../stores/event-store/event-span.js';
import type { RecordedEvent } from '../../stores/event-store/event-store.js';

/** Limit per batch: a view that catches up must not flood the tracing back end. */
const maxSpans = 100;

/** `failure`: why the events from a position on are not in the view. */
export type EndViewSpans = (failure?: { error: unknown; from: bigint }) => void;

/** Starts a span for each event whose trace is recorded, until the event is in the view. */
export function startViewSpans(view: string, events: readonly RecordedEvent[]): EndViewSpans {
  const spans: { position: bigint; span: Span }[] = [];
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
    spans.push({ position: event.position, span });
  }
  return (failure) => {
    for (const { position, span } of spans)
      endSpan(span, failure && position >= failure.from ? failure.error : undefined);
  };
}
