import { type Span, SpanKind } from '@opentelemetry/api';
import { type FlowEvent, readFlowEvent } from '../../flows/flow-event.js';
import type { SearchablePaths } from '../../flows/types/search-terms.js';
import { keyedMutex } from '../../kernel/keyed-mutex.js';
import { contextOf, endSpan, startSpan, traceparentFor } from '../../kernel/tracing/span.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import { eventAttributes } from '../../stores/event-store/event-span.js';
import { categoryOf, type EventBatch, type RecordedEvent } from '../../stores/event-store/event-store.js';
import type { WaitingEvent } from '../queue/kept-events.js';
import type { FanOutCheckpoint } from '../queue/leasing.js';
import { partitionOf } from '../queue/policy/partition.js';
import { FanOutBacklog } from './fan-out-backlog.js';
import { FanOutBatchBuilder } from './fan-out-batch-builder.js';
import { gatherDeliveries, gatherListenerEvent, gatherReplayEvent } from './fan-out-event.js';
import type { FanOutSettings } from './fan-out-settings.js';
import { type Listeners, rememberListeners } from './listeners.js';
import type { Pace } from './pace.js';
import { fanOutReader, organisationOf, partitionOfEvent, readerOf } from './partitions.js';
import type { RequireOwnStream } from './stream-organisations.js';

/** Of checkpoints that move past events of other partitions only. A replay or a resume of their organisations waits for it. */
const keepMs = 1_000;

/** Maximum number of organisations whose listeners are read at the same time. */
const maxReads = 32;

type PassPartition = { partition: number; term: bigint; from: bigint };

type Pass = {
  /** At least one. */
  partitions: readonly PassPartition[];
  signal: AbortSignal;
  requireOwnStream: RequireOwnStream;
  searchableOf: SearchablePaths;
  shareOf: (orgId: string) => Pace;
  onFailure: (error: unknown) => void;
};

/** `position`: its events up to here have been handled, and up to `keptAt` are behind the stored checkpoint. */
type Partition = {
  reader: string;
  term: bigint;
  position: bigint;
  keptAt: bigint;
  waiting: WaitingEvent[];
};

type Own = { recorded: RecordedEvent; partition: Partition };

/**
 * The fan-out of some partitions from their checkpoints on: one batch of deliveries, and the checkpoints of the
 * partitions concerned, for each batch of events. Events of an organisation that has used up its share of the time wait:
 * see `FanOutBacklog`.
 */
export class FanOutPass {
  private readonly partitions: ReadonlyMap<number, Partition>;
  private readonly builder = new FanOutBatchBuilder();
  private readonly listeners: Listeners;
  /** Position of the latest listener event: the view has to have passed it before listeners are read. */
  private viewNeeds: bigint;
  private viewHas = -1n;
  private spans: Span[] = [];
  /** Partitions with events in the batch. */
  private readonly concerned = new Set<Partition>();
  /** Index of the first event whose listeners are not read ahead. */
  private ahead = 0;
  /** A part of the batch has been enqueued, with the checkpoints before it. */
  private owesCheckpoint = false;
  private readonly backlog: FanOutBacklog;
  private readonly oneAtATime = keyedMutex();
  private failed: Error | undefined;
  private keeping: NodeJS.Timeout | undefined;

  constructor(
    private readonly settings: FanOutSettings,
    private readonly pass: Pass,
  ) {
    const { signal, onFailure, searchableOf } = pass;
    this.partitions = new Map(
      pass.partitions.map(({ partition, term, from }) => {
        const reader = readerOf(partition, settings.count);
        return [partition, { reader, term, position: from, keptAt: from, waiting: [] }];
      }),
    );
    this.listeners = rememberListeners(settings.view.registeredAt);
    this.viewNeeds = this.position;
    this.backlog = new FanOutBacklog(settings, {
      signal,
      onFailure,
      searchableOf,
      readers: [...this.partitions.values()].map(({ reader }) => reader),
      beside: (orgId, step) => this.inTurn(() => step(this.checkpointOfOrganisation(orgId))),
      viewPassed: () => settings.view.passed(this.viewNeeds, signal),
    });
  }

  begin(): Promise<void> {
    return this.backlog.begin();
  }

  /** The signal has to be aborted before. */
  ended(): Promise<void> {
    clearTimeout(this.keeping);
    return this.backlog.ended();
  }

  get organisationsWaiting(): number {
    return this.backlog.size;
  }

  /** All events of all partitions up to here have been handled. */
  get position(): bigint {
    return [...this.partitions.values()].map(({ position }) => position).reduce((a, b) => (a < b ? a : b));
  }

  /** Returns whether anything was enqueued. */
  async handle(batch: EventBatch): Promise<boolean> {
    try {
      const hasEnqueued = await this.inTurn(() => this.handleBatch(batch));
      this.endSpans();
      return hasEnqueued;
    } catch (error) {
      this.endSpans(error);
      throw error;
    }
  }

  /** Moves the checkpoints of partitions without events too. */
  async keep(): Promise<void> {
    await this.inTurn(async () => {
      const behind = [...this.partitions.values()].filter(({ position, keptAt }) => keptAt < position);
      if (behind.length > 0) await this.enqueue(behind, { isWhole: true });
    });
  }

  /** One step at a time, and none after one has failed: positions then are ahead of what was enqueued. */
  private inTurn<Result>(step: () => Promise<Result>): Promise<Result> {
    return this.oneAtATime('', async () => {
      if (this.failed) throw this.failed;
      return step().catch((error: unknown) => {
        this.failed = new Error('a step of the fan-out failed before', { cause: error });
        throw error;
      });
    });
  }

  private keepSoon(): void {
    this.keeping ??= setTimeout(() => {
      this.keeping = undefined;
      this.keep().catch(this.pass.onFailure);
    }, keepMs).unref();
  }

  private async handleBatch({ events, position }: EventBatch): Promise<boolean> {
    const own = events.flatMap((recorded): Own[] => {
      const partition = this.partitions.get(partitionOfEvent(recorded, this.settings.count));
      return partition ? [{ recorded, partition }] : [];
    });
    this.ahead = 0;
    for (const [at, { recorded, partition }] of own.entries()) {
      const isListenerEvent = categoryOf(recorded.stream) === 'listener';
      if (isListenerEvent) this.viewNeeds = recorded.position;
      else await this.readAhead(own, at);
      if (recorded.position <= partition.position) continue;
      this.concerned.add(partition);
      await this.handleEvent(recorded, partition);
    }
    for (const partition of this.partitions.values()) if (partition.position < position) partition.position = position;
    const isIdle = this.builder.isEmpty && !this.owesCheckpoint && !this.hasWaiting();
    if (!isIdle) await this.enqueue(this.concerned, { isWhole: true });
    this.concerned.clear();
    this.keepSoon();
    return !isIdle;
  }

  private hasWaiting(): boolean {
    return [...this.concerned].some(({ waiting }) => waiting.length > 0);
  }

  /** Begins to read the listeners for the next flow events: nothing changes until the next listener event. */
  private async readAhead(own: readonly Own[], from: number): Promise<void> {
    for (this.ahead = Math.max(this.ahead, from); this.listeners.begun < maxReads; this.ahead += 1) {
      const { recorded, partition } = own[this.ahead] ?? {};
      if (!recorded || !partition || categoryOf(recorded.stream) === 'listener') return;
      const orgId = organisationOf(recorded);
      const isRead = categoryOf(recorded.stream) === 'flow' && recorded.position > partition.position;
      if (orgId === undefined || !isRead || this.backlog.has(orgId)) continue;
      await this.viewPassed();
      this.listeners.readAhead(orgId, recorded.position);
    }
  }

  private async viewPassed(): Promise<void> {
    if (this.viewHas < this.viewNeeds) await this.settings.view.passed(this.viewNeeds, this.pass.signal);
    this.viewHas = this.viewNeeds;
  }

  private async handleEvent(recorded: RecordedEvent, partition: Partition): Promise<void> {
    try {
      const category = categoryOf(recorded.stream);
      if (category === 'listener') await this.handleListenerEvent(recorded, partition);
      else if (category === 'replay') gatherReplayEvent(this.builder, recorded);
      else await this.handleFlowEvent(recorded, partition);
    } catch (error) {
      if (!(error instanceof EventUndecodable)) throw error;
      const { stream, revision } = recorded;
      this.settings.log.warn({ stream, revision: revision.toString() }, `set aside: ${error.message}`);
      this.builder.addSetAside(error);
    }
  }

  private async handleListenerEvent(recorded: RecordedEvent, partition: Partition): Promise<void> {
    const { orgId, ended } = gatherListenerEvent(this.builder, recorded);
    this.listeners.forget(orgId);
    if (this.backlog.has(orgId)) {
      this.wait(orgId, recorded, partition); // again in its turn: a resume releases what comes in as held until then
      if (ended !== undefined) this.backlog.end(orgId, ended);
    }
    if (this.builder.releases) await this.enqueue(this.concerned);
  }

  private wait(orgId: string, { position, stream, revision }: RecordedEvent, partition: Partition): void {
    partition.waiting.push({ orgId, position, stream, revision });
    this.backlog.add(orgId);
  }

  private async handleFlowEvent(recorded: RecordedEvent, partition: Partition): Promise<void> {
    const decoded = readFlowEvent(recorded);
    const { orgId } = decoded;
    await this.pass.requireOwnStream(decoded, recorded);
    if (this.backlog.has(orgId)) {
      this.wait(orgId, recorded, partition);
      return;
    }
    const event = this.inSpan(decoded, recorded);
    await this.viewPassed();
    const { position } = recorded;
    const registered = this.listeners.at(orgId, position);
    const matching = { handOver: () => this.enqueue(this.concerned), pace: this.pass.shareOf(orgId) };
    const searchable = await this.pass.searchableOf(event.type);
    const isComplete = await gatherDeliveries(this.builder, { event, position, registered, searchable }, matching);
    if (!isComplete) this.wait(orgId, recorded, partition);
  }

  private checkpointOfOrganisation(orgId: string): FanOutCheckpoint {
    const partition = this.partitions.get(partitionOf(orgId, this.settings.count));
    if (!partition) throw new RangeError('the organisation belongs to no partition of the pass');
    return checkpointOf(partition);
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

  /** `isWhole`: it is no part of a batch of events that goes on. */
  private async enqueue(partitions: Iterable<Partition>, { isWhole = false } = {}): Promise<void> {
    const { queue, clock } = this.settings;
    const moved = [...partitions];
    const checkpoint = moved.map((partition) =>
      isWhole ? { ...checkpointOf(partition), waiting: partition.waiting.splice(0) } : checkpointOf(partition),
    );
    await queue.enqueue({ ...this.builder.take(), checkpoint }, clock());
    for (const partition of moved) partition.keptAt = partition.position;
    this.owesCheckpoint = !isWhole;
  }
}

const checkpointOf = ({ reader, position, term }: Partition): FanOutCheckpoint => ({
  reader,
  position,
  term,
  follows: true,
});

/** The span ends once the deliveries are in the queue. */
const startFanOutSpan = ({ traceparent }: FlowEvent, recorded: RecordedEvent): Span | undefined =>
  startSpan('fan_out flow', contextOf(traceparent), () => ({
    kind: SpanKind.CONSUMER,
    attributes: {
      ...eventAttributes({ name: 'fan_out', type: 'process' }, recorded.stream, recorded),
      'messaging.consumer.group.name': fanOutReader,
    },
  }));
