import type { ListenerPeriod } from '../../../projections/listeners.js';
import { FanOutBatchBuilder } from '../../deliveries/fan-out/fan-out-batch-builder.js';
import type { Place, ReplayData } from '../../events/replay-events.js';
import { type FlowEvent, payloadOf, readFlowEvent } from '../../flows/flow-event.js';
import { timeSlice } from '../../kernel/time-slice.js';
import { sleepUnlessAborted } from '../../kernel/unless-aborted.js';
import { selects } from '../../listeners/filters/filter.js';
import { type FilterAt, filterHistory } from '../../listeners/queries/filter-history.js';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import type { ReaderPositions } from '../../queue/reader-positions.js';
import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import { readEventAt } from '../../stores/event-store/read-at.js';
import { readFirstIfExists } from '../../stores/event-store/read-if-exists.js';
import type { Seen } from '../feed/read-feed.js';
import { pastFlowEvents } from './past-flow-events.js';
import type { Progress } from './replay.js';

/** Ports and pace of the replays of a process. */
export type ReplayPorts = {
  store: EventStore;
  /** Undefined: the listener was removed. */
  details: (listenerId: string) => Promise<ListenerPeriod | undefined>;
  progressEveryMs?: number;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Resolves after the time, or once the signal aborts. */
  sleep?: typeof sleepUnlessAborted;
};

export type RunReplay = ReplayPorts & {
  queue: ReaderPositions & Pick<DeliveryQueue, 'enqueue' | 'events'>;
  /** Called after the first batch, at most every `progressEveryMs`, and at a stop. */
  onProgress: (progress: Progress) => Promise<void>;
};

type RunEnd = {
  outcome: 'completed' | 'removed' | 'stopped';
  progress: Progress;
};

const maxBatch = { deliveries: 100, lookedAt: 1_000 };
const defaultProgressEveryMs = 5_000;

/**
 * Continues after the recorded progress; repeats have the same delivery IDs, so no effect. The filter that applied at
 * an event's position selects it. `startedAfter`: position of the replay's start; only earlier events are sent.
 */
export async function runReplay(
  run: RunReplay,
  replay: ReplayData,
  { startedAfter, signal }: { startedAfter: bigint; signal: AbortSignal },
): Promise<RunEnd> {
  const {
    queue,
    details,
    onProgress,
    clock,
    progressEveryMs = defaultProgressEveryMs,
    sleep = sleepUnlessAborted,
  } = run;
  const { replayId, listenerId, ratePerSecond } = replay;
  const batchSize = Math.max(1, Math.min(maxBatch.deliveries, Math.floor(ratePerSecond / 2)));
  let { lookedAt, enqueued, reached } = replay;
  const listener = await details(listenerId);
  if (!listener) return { outcome: 'removed', progress: { lookedAt, enqueued, share: replay.share, reached } };
  const selection = { ...replay, type: replay.type ?? listener.subscription.subscriptionType };
  const range = await rangeOf(run.store, queue, selection, startedAfter);
  const filters = rememberFilters(run.store);
  let last: Seen | undefined;
  let selected: { event: FlowEvent; position: bigint }[] = [];
  let since = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;

  async function progress(): Promise<Progress> {
    if (last) reached = await placeOf(run.store, last);
    return { lookedAt, enqueued, share: last ? range.share(last.position) : replay.share, reached };
  }

  /** Undefined: the listener was removed. */
  async function enqueueBatch(): Promise<number | undefined> {
    const listener = await details(listenerId);
    if (!listener) return undefined;
    const filterAt = await filters(listener);
    const part = new FanOutBatchBuilder();
    const slice = timeSlice();
    for (const { event, position } of selected) {
      if (slice.hasEnded()) await slice.next();
      if (selects(filterAt(position), payloadOf(event)))
        part.deliver(part.message(event, position), listener, replayId);
    }
    const { size } = part;
    if (!part.isEmpty) await queue.enqueue(part.take(), clock());
    enqueued += size;
    lookedAt += since;
    return size;
  }

  const end = async (outcome: RunEnd['outcome']): Promise<RunEnd> => ({ outcome, progress: await progress() });
  let next: Seen | undefined;
  for await (const seen of range.events()) {
    next = seen;
    since += 1;
    if (seen.event) selected.push({ event: seen.event, position: seen.position });
    if (selected.length < batchSize && since < maxBatch.lookedAt) continue;
    const size = await enqueueBatch();
    if (size === undefined) return end('removed');
    last = seen;
    const pauseMs = (size / ratePerSecond) * 1_000;
    selected = [];
    since = 0;
    if (performance.now() - reportedAt >= progressEveryMs) {
      await onProgress(await progress());
      reportedAt = performance.now();
    }
    await sleep(pauseMs, signal);
    if (signal.aborted) {
      await onProgress(await progress());
      return end('stopped');
    }
  }
  if ((await enqueueBatch()) === undefined) return end('removed');
  last = next ?? last;
  return end('completed');
}

function rememberFilters(store: EventStore): (listener: ListenerPeriod) => Promise<FilterAt> {
  let known: { from: string; filterAt: FilterAt } | undefined;
  return async (listener) => {
    if (known?.from !== listener.from) known = { from: listener.from, filterAt: await filterHistory(store, listener) };
    return known.filterAt;
  };
}

type Range = {
  events: () => AsyncIterable<Seen>;
  /** 0 to 1. */
  share: (position: bigint) => number;
};

async function rangeOf(
  store: EventStore,
  queue: RunReplay['queue'],
  replay: ReplayData,
  startedAfter: bigint,
): Promise<Range> {
  if (replay.event) return { events: () => oneEvent(store, replay.event), share: () => 1 };
  const upTo = await lastFlowEventBefore(store, startedAfter);
  const { beginning, events } = await pastFlowEvents({ store, queue }, replay, upTo);
  const reached = replay.reached && (await eventOf(store, replay.reached));
  const after = reached && reached.position > beginning ? reached.position : beginning;
  return {
    events: () => events(after),
    share: (position) => shareOf(position - beginning, upTo - beginning),
  };
}

const shareOf = (done: bigint, total: bigint): number => (total > 0n ? Math.min(1, Number(done) / Number(total)) : 1);

/** The fan-out's checkpoint may reach no later position. */
async function lastFlowEventBefore(store: EventStore, position: bigint): Promise<bigint> {
  const range = { from: position, direction: 'backwards', limit: 1, filter: { categories: ['flow'] } } as const;
  for await (const event of store.readAll(range)) return event.position;
  return -1n;
}

async function* oneEvent(store: EventStore, place: Place | null): AsyncGenerator<Seen> {
  const recorded = place && (await eventOf(store, place));
  if (recorded) yield { position: recorded.position, recorded, event: readFlowEvent(recorded) };
}

const eventOf = (store: EventStore, { stream, revision }: Place): Promise<RecordedEvent | undefined> =>
  readFirstIfExists(store.readStream(stream, { from: BigInt(revision), limit: 1 }));

async function placeOf(store: EventStore, { recorded, position }: Seen): Promise<Place | null> {
  const event = recorded ?? (await readEventAt(store, position));
  return event ? { stream: event.stream, revision: event.revision.toString() } : null;
}
