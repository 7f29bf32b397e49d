import { type Span, SpanKind } from '@opentelemetry/api';
import type { FlowEvent } from '../../flows/flow-event.js';
import { contextOf, endSpan, startSpan, traceparentFor } from '../../kernel/tracing/span.js';
import { eventAttributes } from '../../stores/event-store/event-span.js';
import type { RecordedEvent } from '../../stores/event-store/event-store.js';
import { fanOutReader } from './partitions.js';

export type FanOutSpans = ReturnType<typeof fanOutSpans>;

/** Spans that end once the deliveries are in the queue. */
export function fanOutSpans() {
  const spans: Span[] = [];
  return {
    /** The event with the span as the parent of its deliveries. */
    start(event: FlowEvent, recorded: RecordedEvent): FlowEvent {
      const span = startSpan('fan_out flow', contextOf(event.traceparent), () => ({
        kind: SpanKind.CONSUMER,
        attributes: {
          ...eventAttributes({ name: 'fan_out', type: 'process' }, recorded.stream, recorded),
          'messaging.consumer.group.name': fanOutReader,
        },
      }));
      if (!span) return event;
      spans.push(span);
      return { ...event, traceparent: traceparentFor(span, event.traceparent) };
    },
    end(error?: unknown): void {
      for (const span of spans.splice(0)) endSpan(span, error);
    },
  };
}
