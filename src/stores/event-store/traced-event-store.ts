import { context, type Span, SpanKind, trace } from '@opentelemetry/api';
import { contextOf, endSpan, startSpan, traceparentFor, withSpan } from '../../kernel/tracing/span.js';
import { WrongExpectedRevision } from './errors.js';
import { eventAttributes, traceparentIn } from './event-span.js';
import { categoryOf, type EventStore, type NewEvent } from './event-store.js';

/**
 * A store whose appends are spans. Their events name them as the parent of what follows: the views and the deliveries that
 * come from an event belong to its trace, wherever they are made.
 */
export function traceAppends<Store extends EventStore>(store: Store): Store {
  return {
    ...store,
    async append(stream, events, options) {
      const span = startAppendSpan(stream, events);
      if (!span) return store.append(stream, events, options);
      return spanned(span, () => store.append(stream, events.map(inTraceOf(span)), options));
    },
    async appendEach(events) {
      const [first] = events;
      const span =
        first &&
        startAppendSpan(
          first.stream,
          events.map(({ event }) => event),
        );
      if (!span) return store.appendEach(events);
      const inTrace = inTraceOf(span);
      return spanned(span, () => store.appendEach(events.map((each) => ({ ...each, event: inTrace(each.event) }))));
    },
  };
}

async function spanned<Result>(span: Span, append: () => Promise<Result>): Promise<Result> {
  try {
    const result = await withSpan(span, append);
    endSpan(span);
    return result;
  } catch (error) {
    // A conflict is no failure: the command decides again.
    if (error instanceof WrongExpectedRevision) span.setAttribute('flow_hooks.conflict', true).end();
    else endSpan(span, error);
    throw error;
  }
}

function startAppendSpan(stream: string, events: readonly NewEvent[]): Span | undefined {
  const [first] = events;
  if (!first) return undefined;
  const parent = trace.getActiveSpan() ? context.active() : contextOf(traceparentIn(first.metadata));
  return startSpan(`append ${categoryOf(stream)}`, parent, () => ({
    kind: SpanKind.PRODUCER,
    attributes: {
      ...eventAttributes({ name: 'append', type: 'send' }, stream, first),
      ...(events.length > 1 && { 'messaging.batch.message_count': events.length }),
    },
  }));
}

/** The event, with the span as the parent of what follows. */
const inTraceOf = (span: Span): ((event: NewEvent) => NewEvent) => {
  const traceparent = traceparentFor(span, undefined);
  if (traceparent === undefined) return (event) => event;
  return (event) => ({ ...event, metadata: { ...event.metadata, traceparent } });
};
