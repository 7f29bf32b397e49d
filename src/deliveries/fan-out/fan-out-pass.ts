import { type Span, SpanKind } from '@opentelemetry/api';
import { type FlowEvent, readFlowEvent } from '../../flows/flow-event.js';
import { keyedMutex } from '../../kernel/keyed-mutex.js';
import { contextOf, endSpan, startSpan, traceparentFor } from '../../kernel/tracing/span.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import { eventAttributes } from '../../stores/event-store/event-span.js';
import { categoryOf, type EventBatch, type RecordedEvent } from '../../stores/event-store/event-store.js';
import type { WaitingEvent } from '../queue/kept-events.js';
import type { FanOutCheckpoint } from '../queue/leasing.js';
import { FanOutBacklog } from './fan-out-backlog.js';
import { FanOutBatchBuilder } from './fan-out-batch-builder.js';
import { fanOutReader } from './fan-out-beginning.js';
import { gatherDeliveries, gatherListenerEvent, gatherReplayEvent } from './fan-out-event.js';
import type { FanOutSettings } from './fan-out-settings.js';
import { type Listeners, rememberListeners } from './listeners.js';
import type { Pace } from './pace.js';
import type { RequireOwnStream } from './stream-organisations.js';

/** Reading these events again after a crash costs little. */
const checkpointEvery = 1_000n;

type Pass = {
  readonly from: bigint;
  readonly signal: AbortSignal;
  readonly requireOwnStream: RequireOwnStream;
  readonly shareOf: (orgId: string) => Pace;
  readonly onFailure: (error: unknown) => void;
};

/**
 * The fan-out from a checkpoint on: one batch of deliveries and a checkpoint for each batch of events. Events of an
 * organisation that has used up its share of the time wait: see `FanOutBacklog`.
 */
export class FanOutPass {
  private readonly builder = new FanOutBatchBuilder();
  private readonly listeners: Listeners;
  /** Position of the latest listener event: the view has to have passed it before listeners are read. */
  private viewNeeds: bigint;
  private viewHas = -1n;
  private checkpointAt: bigint;
  private spans: Span[] = [];
  /** A part of the batch has been enqueued, with the checkpoint before it. */
  private owesCheckpoint = false;
  private waiting: WaitingEvent[] = [];
  private readonly backlog: FanOutBacklog;
  private readonly oneAtATime = keyedMutex();

  constructor(
    private readonly settings: FanOutSettings,
    private readonly pass: Pass,
  ) {
    this.listeners = rememberListeners(settings.view.registeredAt);
    this.viewNeeds = pass.from;
    this.checkpointAt = pass.from;
    const { signal, onFailure } = pass;
    this.backlog = new FanOutBacklog(settings, {
      signal,
      onFailure,
      beside: (step) => this.oneAtATime('', () => step(this.checkpoint(this.checkpointAt))),
      viewPassed: () => settings.view.passed(this.viewNeeds, signal),
    });
  }

  begin(): Promise<void> {
    return this.backlog.begin();
  }

  /** The signal has to be aborted before. */
  ended(): Promise<void> {
    return this.backlog.ended();
  }

  get organisationsWaiting(): number {
    return this.backlog.size;
  }

  /** Returns whether anything was enqueued. */
  async handle(batch: EventBatch): Promise<boolean> {
    try {
      const hasEnqueued = await this.oneAtATime('', () => this.handleBatch(batch));
      this.endSpans();
      return hasEnqueued;
    } catch (error) {
      this.endSpans(error);
      throw error;
    }
  }

  private async handleBatch({ events, position }: EventBatch): Promise<boolean> {
    for (const recorded of events) await this.handleEvent(recorded);
    const isDue = position - this.checkpointAt >= checkpointEvery;
    if (this.builder.isEmpty && this.waiting.length === 0 && !this.owesCheckpoint && !isDue) return false;
    await this.enqueue({ ...this.checkpoint(position), waiting: this.waiting.splice(0) });
    this.checkpointAt = position;
    return true;
  }

  private async handleEvent(recorded: RecordedEvent): Promise<void> {
    try {
      const category = categoryOf(recorded.stream);
      if (category === 'listener') await this.handleListenerEvent(recorded);
      else if (category === 'replay') gatherReplayEvent(this.builder, recorded);
      else await this.handleFlowEvent(recorded);
    } catch (error) {
      if (!(error instanceof EventUndecodable)) throw error;
      const { stream, revision } = recorded;
      this.settings.log.warn({ stream, revision: revision.toString() }, `set aside: ${error.message}`);
      this.builder.addSetAside(error);
    }
  }

  private async handleListenerEvent(recorded: RecordedEvent): Promise<void> {
    this.viewNeeds = recorded.position;
    const { orgId, ended } = gatherListenerEvent(this.builder, recorded);
    this.listeners.forget(orgId);
    if (this.backlog.has(orgId)) {
      this.wait(orgId, recorded); // again in its turn: a resume releases what comes in as held until then
      if (ended !== undefined) this.backlog.end(orgId, ended);
    }
    if (this.builder.releases) await this.enqueue();
  }

  private wait(orgId: string, { position, stream, revision }: RecordedEvent): void {
    this.waiting.push({ orgId, position, stream, revision });
    this.backlog.add(orgId);
  }

  private async handleFlowEvent(recorded: RecordedEvent): Promise<void> {
    const decoded = readFlowEvent(recorded);
    const { orgId } = decoded;
    await this.pass.requireOwnStream(decoded, recorded);
    if (this.backlog.has(orgId)) {
      this.wait(orgId, recorded);
      return;
    }
    const event = this.inSpan(decoded, recorded);
    if (this.viewHas < this.viewNeeds) await this.settings.view.passed(this.viewNeeds, this.pass.signal);
    this.viewHas = this.viewNeeds;
    const { position } = recorded;
    const registered = this.listeners.at(orgId, position);
    const matching = { handOver: () => this.enqueue(), pace: this.pass.shareOf(orgId) };
    const isComplete = await gatherDeliveries(this.builder, { event, position, registered }, matching);
    if (!isComplete) this.wait(orgId, recorded);
  }

  private checkpoint(position: bigint): FanOutCheckpoint {
    return { reader: fanOutReader, position, term: this.settings.term, follows: true };
  }

  private inSpan(event: FlowEvent, recorded: RecordedEvent): FlowEvent {
    const span = startFanOutSpan(event, recorded);
    if (!span) return event;
    this.spans.push(span);
    return { ...event, traceparent: traceparentFor(span, event.traceparent) };
  }

  private endSpans(error?: unknown): void {
    for (const span of this.spans.splice(0)) endSpan(span, error);
  }

  private async enqueue(checkpoint?: FanOutCheckpoint): Promise<void> {
    const { queue, clock } = this.settings;
    const batch = { ...this.builder.take(), checkpoint: checkpoint ?? this.checkpoint(this.checkpointAt) };
    await queue.enqueue(batch, clock());
    this.owesCheckpoint = checkpoint === undefined;
  }
}

/** The span ends once the deliveries are in the queue. */
const startFanOutSpan = ({ traceparent }: FlowEvent, recorded: RecordedEvent): Span | undefined =>
  startSpan('fan_out flow', contextOf(traceparent), () => ({
    kind: SpanKind.CONSUMER,
    attributes: {
      ...eventAttributes({ name: 'fan_out', type: 'process' }, recorded.stream, recorded),
      'messaging.consumer.group.name': fanOutReader,
    },
  }));
