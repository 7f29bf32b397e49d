import { type Span, SpanKind } from '@opentelemetry/api';
import type { FlowEvent } from '../../flows/flow-event.js';
import { contextOf, startSpan } from '../../kernel/tracing/span.js';
import { eventAttributes } from '../../stores/event-store/event-span.js';
import type { RecordedEvent } from '../../stores/event-store/event-store.js';
import { fanOutReader } from './fan-out-beginning.js';

/** Starts the span of a flow event in the fan-out, in the event's trace: until its deliveries are in the queue. */
export const startFanOutSpan = ({ traceparent }: FlowEvent, recorded: RecordedEvent): Span | undefined =>
  startSpan('fan_out flow', contextOf(traceparent), () => ({
    kind: SpanKind.CONSUMER,
    attributes: {
      ...eventAttributes({ name: 'fan_out', type: 'process' }, recorded.stream, recorded),
      'messaging.consumer.group.name': fanOutReader,
    },
  }));
