import type { Span } from '@opentelemetry/api';
import { type FlowEvent, readFlowEvent } from '../../flows/flow-event.js';
import { endSpan, traceparentFor } from '../../kernel/tracing/span.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import { categoryOf, type EventBatch, type RecordedEvent } from '../../stores/event-store/event-store.js';
import type { FanOutCheckpoint } from '../queue/leasing.js';
import { FanOutBatchBuilder } from './fan-out-batch-builder.js';
import { fanOutReader } from './fan-out-beginning.js';
import { gatherDeliveries, gatherListenerEvent, gatherReplayEvent } from './fan-out-event.js';
import type { FanOutSettings } from './fan-out-settings.js';
import { startFanOutSpan } from './fan-out-span.js';
import { type Registrations, rememberRegistrations } from './registrations.js';
import type { RequireOwnStream } from './stream-organisations.js';

/** Interval between checkpoints, in positions, while nothing is enqueued: reading these events again costs little. */
const checkpointEvery = 1_000n;

type Pass = {
  /** Position of the checkpoint that the pass begins after. */
  readonly from: bigint;
  readonly signal: AbortSignal;
  readonly requireOwnStream: RequireOwnStream;
};

/** The fan-out from a checkpoint on: enqueues one batch of deliveries for each batch of events, with its checkpoint. */
export class FanOutPass {
  private readonly builder = new FanOutBatchBuilder();
  private readonly registrations: Registrations;
  /** Position of the latest listener event: the view has to have passed it before registrations are read. */
  private viewNeeds: bigint;
  private viewHas = -1n;
  private checkpointAt: bigint;
  /** Of the flow events of the batch. */
  private spans: Span[] = [];
  /** A part of the batch has been enqueued without its checkpoint. */
  private owesCheckpoint = false;

  constructor(
    private readonly settings: FanOutSettings,
    private readonly pass: Pass,
  ) {
    this.registrations = rememberRegistrations(settings.registeredAt);
    this.viewNeeds = pass.from;
    this.checkpointAt = pass.from;
  }

  /** Returns whether anything was enqueued. */
  async handle(batch: EventBatch): Promise<boolean> {
    try {
      const hasEnqueued = await this.handleBatch(batch);
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
    if (this.builder.isEmpty && !this.owesCheckpoint && !isDue) return false;
    await this.enqueue({ reader: fanOutReader, position, term: this.settings.term, follows: true });
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
    this.registrations.forget(gatherListenerEvent(this.builder, recorded));
    if (this.builder.releases) await this.enqueue();
  }

  private async handleFlowEvent(recorded: RecordedEvent): Promise<void> {
    const event = this.inSpan(readFlowEvent(recorded), recorded);
    await this.pass.requireOwnStream(event, recorded);
    if (this.viewHas < this.viewNeeds) await this.settings.viewPassed(this.viewNeeds, this.pass.signal);
    this.viewHas = this.viewNeeds;
    const { position } = recorded;
    const registered = this.registrations.at(event.orgId, position);
    await gatherDeliveries(this.builder, { event, position, registered }, () => this.enqueue());
  }

  /** The event with the span of its fan-out, to which its deliveries belong. */
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
    const batch = { resentAfterCrash: true as const, ...this.builder.take(), ...(checkpoint && { checkpoint }) };
    await queue.enqueue(batch, clock());
    this.owesCheckpoint = checkpoint === undefined;
  }
}
