import { type Span, SpanKind } from '@opentelemetry/api';
import { type FlowEvent, readFlowEvent } from '../../flows/flow-event.js';
import type { SearchablePaths } from '../../flows/types/search-terms.js';
import { contextOf, endSpan, startSpan, traceparentFor } from '../../kernel/tracing/span.js';
import { eventAttributes } from '../../stores/event-store/event-span.js';
import { categoryOf, type RecordedEvent } from '../../stores/event-store/event-store.js';
import type { FanOutBacklog } from './fan-out-backlog.js';
import type { FanOutBatchBuilder } from './fan-out-batch-builder.js';
import { gatherDeliveries, gatherListenerEvent, gatherReplayEvent } from './fan-out-event.js';
import type { FanOutSettings } from './fan-out-settings.js';
import type { ListenersInOrder } from './listeners.js';
import type { Pace } from './pace.js';
import { fanOutReader, type OwnEvent } from './partitions.js';
import type { RequireOwnStream } from './stream-organisations.js';

export type EventRules = {
  requireOwnStream: RequireOwnStream;
  searchableOf: SearchablePaths;
  shareOf: (orgId: string) => Pace;
};

type Parts = {
  builder: FanOutBatchBuilder;
  enqueuePart: () => Promise<void>;
  spans: ReturnType<typeof fanOutSpans>;
  listeners: ListenersInOrder;
  backlog: FanOutBacklog;
};

/**
 * Gathers what an event brings to the queue. Events of an organisation that has used up its share of the time wait: see
 * `FanOutBacklog`.
 */
export function eventHandler(
  { log }: FanOutSettings,
  { requireOwnStream, searchableOf, shareOf }: EventRules,
  { builder, enqueuePart, spans, listeners, backlog }: Parts,
) {
  function wait(orgId: string, { recorded: { position, stream, revision }, partition }: OwnEvent): void {
    partition.waiting.push({ orgId, position, stream, revision });
    backlog.add(orgId);
  }

  async function handleListenerEvent(own: OwnEvent): Promise<void> {
    const { orgId, ended } = gatherListenerEvent(builder, own.recorded);
    listeners.forget(orgId);
    if (backlog.has(orgId)) {
      wait(orgId, own); // again in its turn: a resume releases what comes in as held until then
      if (ended !== undefined) backlog.end(orgId, ended);
    }
    if (builder.releases) await enqueuePart();
  }

  async function handleFlowEvent(own: OwnEvent): Promise<void> {
    const { recorded } = own;
    const { position } = recorded;
    const decoded = readFlowEvent(recorded);
    const { orgId } = decoded;
    await requireOwnStream(decoded, recorded);
    if (backlog.has(orgId)) return wait(orgId, own);
    const event = spans.start(decoded, recorded);
    const registered = await listeners.at(orgId, position);
    const searchable = await searchableOf(event.type);
    const matching = { handOver: enqueuePart, pace: shareOf(orgId) };
    const isComplete = await gatherDeliveries(builder, { event, position, registered, searchable }, matching);
    if (!isComplete) wait(orgId, own);
  }

  return async (own: OwnEvent): Promise<void> => {
    const { stream, revision } = own.recorded;
    try {
      const category = categoryOf(stream);
      if (category === 'listener') await handleListenerEvent(own);
      else if (category === 'replay') gatherReplayEvent(builder, own.recorded);
      else await handleFlowEvent(own);
    } catch (error) {
      log.warn({ stream, revision: revision.toString() }, `set aside: ${builder.setAside(error)}`);
    }
  };
}

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
