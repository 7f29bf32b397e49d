import { readFlowEvent } from '../../flows/flow-event.js';
import type { SearchablePaths } from '../../flows/types/search-terms.js';
import { mutex } from '../../kernel/keyed-mutex.js';
import { categoryOf, type EventBatch } from '../../stores/event-store/event-store.js';
import { FanOutBacklog } from './fan-out-backlog.js';
import { FanOutBatchBuilder } from './fan-out-batch-builder.js';
import { gatherDeliveries, gatherListenerEvent, gatherReplayEvent } from './fan-out-event.js';
import type { FanOutSettings } from './fan-out-settings.js';
import { type FanOutSpans, fanOutSpans } from './fan-out-spans.js';
import { type ListenersInOrder, listenersInOrder } from './listeners.js';
import type { Pace } from './pace.js';
import { type Held, heldPartitions, lowest, type OwnEvent } from './partitions.js';
import { passBatch } from './pass-batch.js';
import type { RequireOwnStream } from './stream-organisations.js';

/** Interval of checkpoints that move past events of other partitions only. A replay or a resume of their organisations waits for it. */
const defaultKeepMs = 1_000;

type Pass = Held & {
  viewAt: bigint | undefined;
  requireOwnStream: RequireOwnStream;
  searchableOf: SearchablePaths;
  shareOf: (orgId: string) => Pace;
  signal: AbortSignal;
  onFailure: (error: unknown) => void;
};

export type FanOutPass = ReturnType<typeof fanOutPass>;

/**
 * The fan-out of some partitions from their checkpoints on: one batch of deliveries, and the checkpoints of the
 * partitions concerned, for each batch of events.
 */
export function fanOutPass(settings: FanOutSettings, pass: Pass) {
  const { keepMs = defaultKeepMs } = settings;
  const { signal, onFailure, searchableOf } = pass;
  const partitions = heldPartitions(pass, settings.count);
  // From the view's position on, the pass itself sees which listener events the view has to hold.
  const from = lowest([partitions.position(), pass.viewAt ?? partitions.position()]);
  const listeners = listenersInOrder(settings.view, { from, viewAt: pass.viewAt }, signal);
  const inTurn = stepsInTurn(partitions.takeBack);
  const backlog = new FanOutBacklog(settings, {
    signal,
    onFailure,
    searchableOf,
    readers: partitions.all.map(({ reader }) => reader),
    beside: (orgId, step) => inTurn(() => step(partitions.checkpointOfOrganisation(orgId))),
    waitForView: listeners.waitForView,
  });
  const builder = new FanOutBatchBuilder();
  const { concerned, ...batch } = passBatch(settings, builder);
  const spans = fanOutSpans();
  const { enqueuePart } = batch;
  const handleEvent = eventHandler(settings, pass, { builder, enqueuePart, spans, listeners, backlog });
  let keeping: NodeJS.Timeout | undefined;

  async function handleBatch({ events, position }: EventBatch): Promise<boolean> {
    if (events.some(({ stream }) => categoryOf(stream) === 'replay')) settings.onReplayEvent?.();
    const all = partitions.ownOf(events);
    const readAhead = listeners.readAheadIn(all, (orgId) => backlog.has(orgId));
    for (const [at, own] of all.entries()) {
      const { recorded, partition } = own;
      if (categoryOf(recorded.stream) === 'listener') listeners.changedAt(recorded.position);
      else await readAhead(at);
      if (recorded.position <= partition.position) continue;
      concerned.add(partition);
      await handleEvent(own);
    }
    for (const partition of partitions.all) if (partition.position < position) partition.position = position;
    const hasEnqueued = await batch.enqueueRest();
    keeping ??= setTimeout(() => {
      keeping = undefined;
      keep().catch(onFailure);
    }, keepMs).unref();
    return hasEnqueued;
  }

  const keep = () => inTurn(() => batch.keep(partitions.all));

  return {
    /** The position from which it needs all events. */
    from,
    begin: () => backlog.begin(),
    /** Returns whether anything was enqueued. */
    async handle(events: EventBatch): Promise<boolean> {
      try {
        const hasEnqueued = await inTurn(() => handleBatch(events));
        spans.end();
        return hasEnqueued;
      } catch (error) {
        spans.end(error);
        throw error;
      }
    },
    keep,
    /** The signal has to be aborted before. */
    ended(): Promise<void> {
      clearTimeout(keeping);
      return backlog.ended();
    },
    position: partitions.position,
    organisationsWaiting: () => backlog.size,
  };
}

type Gathering = {
  builder: FanOutBatchBuilder;
  enqueuePart: () => Promise<void>;
  spans: FanOutSpans;
  listeners: ListenersInOrder;
  backlog: FanOutBacklog;
};

/**
 * Gathers what an event brings to the queue. Events of an organisation that has used up its share of the time wait: see
 * `FanOutBacklog`.
 */
function eventHandler(
  { log }: FanOutSettings,
  { requireOwnStream, searchableOf, shareOf }: Pass,
  { builder, enqueuePart, spans, listeners, backlog }: Gathering,
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

/** One step at a time, and none after one has failed. */
function stepsInTurn(onFailed: () => void) {
  const oneAtATime = mutex();
  let failed: Error | undefined;
  return <Result>(step: () => Promise<Result>): Promise<Result> =>
    oneAtATime(async () => {
      if (failed) throw failed;
      return step().catch((error: unknown) => {
        failed = new Error('a step of the fan-out failed before', { cause: error });
        onFailed();
        throw error;
      });
    });
}
