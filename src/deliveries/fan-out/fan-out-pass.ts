import { keyedMutex } from '../../kernel/keyed-mutex.js';
import { categoryOf, type EventBatch } from '../../stores/event-store/event-store.js';
import { FanOutBacklog } from './fan-out-backlog.js';
import { FanOutBatchBuilder } from './fan-out-batch-builder.js';
import type { FanOutSettings } from './fan-out-settings.js';
import { listenersInOrder } from './listeners.js';
import { checkpointOf, type Held, heldPartitions, type Partition } from './partitions.js';
import { type EventRules, eventHandler, fanOutSpans } from './pass-events.js';

/** Of checkpoints that move past events of other partitions only. A replay or a resume of their organisations waits for it. */
const keepMs = 1_000;

type Pass = EventRules &
  Held & {
    signal: AbortSignal;
    onFailure: (error: unknown) => void;
  };

export type FanOutPass = ReturnType<typeof fanOutPass>;

/**
 * The fan-out of some partitions from their checkpoints on: one batch of deliveries, and the checkpoints of the
 * partitions concerned, for each batch of events.
 */
export function fanOutPass(settings: FanOutSettings, pass: Pass) {
  const { signal, onFailure, searchableOf } = pass;
  const partitions = heldPartitions(pass, settings.count);
  const listeners = listenersInOrder(settings.view, partitions.position(), signal);
  const inTurn = stepsInTurn();
  const backlog = new FanOutBacklog(settings, {
    signal,
    onFailure,
    searchableOf,
    readers: partitions.all.map(({ reader }) => reader),
    beside: (orgId, step) => inTurn(() => step(partitions.checkpointOfOrganisation(orgId))),
    viewPassed: listeners.viewPassed,
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

/** One step at a time, and none after one has failed: positions then are ahead of what was enqueued. */
function stepsInTurn() {
  const oneAtATime = keyedMutex();
  let failed: Error | undefined;
  return <Result>(step: () => Promise<Result>): Promise<Result> =>
    oneAtATime('', async () => {
      if (failed) throw failed;
      return step().catch((error: unknown) => {
        failed = new Error('a step of the fan-out failed before', { cause: error });
        throw error;
      });
    });
}

/** Enqueues what is gathered of a batch of events, with the checkpoints of the partitions that are concerned. */
function passBatch({ queue, clock }: FanOutSettings, builder: FanOutBatchBuilder) {
  const concerned = new Set<Partition>();
  /** A part of the batch has been enqueued, with the checkpoints before it. */
  let owesCheckpoint = false;

  async function enqueue(moved: readonly Partition[], isWhole: boolean): Promise<void> {
    const checkpoint = moved.map((partition) =>
      isWhole ? { ...checkpointOf(partition), waiting: partition.waiting.splice(0) } : checkpointOf(partition),
    );
    await queue.enqueue({ ...builder.take(), checkpoint }, clock());
    for (const partition of moved) partition.keptAt = partition.position;
    owesCheckpoint = !isWhole;
  }

  return {
    concerned,
    enqueuePart: () => enqueue([...concerned], false),
    /** Returns whether anything was enqueued. */
    async enqueueRest(): Promise<boolean> {
      const moved = [...concerned];
      const isIdle = builder.isEmpty && !owesCheckpoint && moved.every(({ waiting }) => waiting.length === 0);
      if (!isIdle) await enqueue(moved, true);
      concerned.clear();
      return !isIdle;
    },
    /** Moves the checkpoints of partitions without events too. */
    async keep(partitions: readonly Partition[]): Promise<void> {
      const behind = partitions.filter(({ position, keptAt }) => keptAt < position);
      if (behind.length > 0) await enqueue(behind, true);
    },
  };
}
