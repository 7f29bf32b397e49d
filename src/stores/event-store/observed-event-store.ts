import { context, type Span, SpanKind, trace } from '@opentelemetry/api';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { contextOf, endSpan, startSpan, traceparentFor, withSpan } from '../../kernel/tracing/span.js';
import { WrongExpectedRevision } from './errors.js';
import { eventAttributes, traceparentIn } from './event-span.js';
import { categoryOf, type EventStore, type NewEvent } from './event-store.js';

export type OnAppended = (count: number, error?: unknown) => void;

export type ObservedEventStore = EventStore & {
  /** The error of the last append; undefined after a success or ten seconds, since only another append can tell. */
  failure: () => Error | undefined;
};

const rememberedMs = 10_000;

/**
 * Appends become spans and counts, and their failures health. Events name the span as parent, so that views and
 * deliveries join its trace. A failed read of a stream counts too: commands and publishers read first.
 */
export function observeAppends(
  store: EventStore,
  onAppended: OnAppended,
  now: () => number = () => performance.now(),
): ObservedEventStore {
  let failure: { error: Error; at: number } | undefined;

  async function observed<Result>(
    events: readonly NewEvent[],
    { stream, count }: { stream: string; count: number },
    append: (inTrace: (event: NewEvent) => NewEvent) => Promise<Result>,
  ): Promise<Result> {
    const span = startAppendSpan(stream, events);
    try {
      const result = await (span ? spanned(span, () => append(inTraceOf(span))) : append((event) => event));
      failure = undefined;
      onAppended(count);
      return result;
    } catch (error) {
      if (error instanceof StoreUnavailable) failure = { error, at: now() };
      onAppended(count, error);
      throw error;
    }
  }

  return {
    ...store,
    append: (stream, events, options) =>
      observed(events, { stream, count: 1 }, (inTrace) => store.append(stream, events.map(inTrace), options)),
    appendEach: (events) =>
      observed(
        events.map(({ event }) => event),
        { stream: events[0]?.stream ?? '', count: events.length },
        (inTrace) => store.appendEach(events.map((each) => ({ ...each, event: inTrace(each.event) }))),
      ),
    async *readStream(...range) {
      try {
        yield* store.readStream(...range);
      } catch (error) {
        if (error instanceof StoreUnavailable) onAppended(1, error);
        throw error;
      }
    },
    failure: () => (failure !== undefined && now() - failure.at < rememberedMs ? failure.error : undefined),
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

const inTraceOf = (span: Span): ((event: NewEvent) => NewEvent) => {
  const traceparent = traceparentFor(span, undefined);
  if (traceparent === undefined) return (event) => event;
  return (event) => ({ ...event, metadata: { ...event.metadata, traceparent } });
};
