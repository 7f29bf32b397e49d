import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { filterOf, positionBefore, projectWith } from '../project.js';
import type { Projection } from '../projection.js';
import type { Build, EventOperations } from '../read-model.js';
import type { RebuildClaim, RebuildProgress } from '../rebuilds.js';
import { skippedEvents } from '../skipped-events.js';

export type Load = {
  store: EventStore;
  projection: Projection;
  build: Build;
  /** Default: the store's end now. Later events are not loaded. */
  upTo?: bigint;
  signal: AbortSignal | undefined;
};

export type Loaded = { events: number; position: bigint; head: bigint };

/** Large enough to write efficiently, small enough for memory and concurrent requests. */
const batchSize = 1_000;
/** Maximum time between checkpoints: there a load reports progress, can be cancelled, and resumes. */
const stepMs = 1_000;

/**
 * Applies events from the build's checkpoint on. While one batch is written, the next is read and projected, and grows
 * if the build allows it. Throws the signal's reason, and `ProjectionFailed` after writing everything before the failed
 * event.
 */
export async function* loadBuild({ store, projection, build, upTo, signal }: Load): AsyncGenerator<Loaded> {
  const project = projectWith(projection, await skippedEvents(store, projection));
  const head = upTo ?? (await store.head());
  const { position: from } = await build.checkpoint();
  if (head <= (from ?? -1n)) return;

  let waiting: EventOperations[] = [];
  let events = 0;
  let position = from ?? -1n;
  let writing: Promise<Loaded> | undefined;
  let isWriting = false;
  let writtenAt = performance.now();
  const options = { from, signal, filter: filterOf(projection) };
  try {
    for await (const batch of store.subscribe(options)) {
      const upToHead = batch.position <= head ? batch.events : batch.events.filter((event) => event.position <= head);
      const { operations, failure } = project(upToHead);
      for (const each of operations) waiting.push(each);
      events += upToHead.length;
      position = failure ? positionBefore(failure, upToHead, position) : smaller(batch.position, head);
      const done = batch.caughtUp || batch.position >= head;
      const most = isWriting ? (build.mostAtOnce ?? batchSize) : batchSize;
      const isLate = !isWriting && performance.now() - writtenAt >= stepMs;
      if (events < most && !done && !failure && !isLate) continue;

      await nextTurn(); // concurrent requests get their turn, however fast the stores are
      if (writing) yield await writing;
      const loaded = { events, position, head };
      isWriting = true;
      writing = build
        .apply(waiting, position)
        .finally(() => {
          isWriting = false;
          writtenAt = performance.now();
        })
        .then(() => loaded);
      writing.catch(() => undefined); // it is awaited later
      waiting = [];
      events = 0;
      if (failure || done) yield await writing;
      if (failure) throw failure;
      if (done) return;
      await nextTurn();
    }
  } finally {
    await writing?.catch(() => undefined); // the caller closes the build next
  }
  signal?.throwIfAborted();
  throw new StoreUnavailable('the events ended before the head of the store');
}

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);

/** Interval of records of the progress, and checks for a cancellation. */
const noteMs = 1_000;

/** Reports each step to the caller, and at intervals to other processes. Throws the errors of `recordProgress`. */
export function reportRebuild(
  { recordProgress }: Pick<RebuildClaim, 'recordProgress'>,
  from: Pick<RebuildProgress, 'position' | 'head'>,
  onProgress: (progress: RebuildProgress) => void = () => undefined,
) {
  const started = performance.now();
  let progress: RebuildProgress = { phase: 'loading', events: 0, perSecond: 0, ...from };
  let notedAt = Number.NEGATIVE_INFINITY;

  async function report(phase: RebuildProgress['phase'], loaded?: Loaded, atOnce = !loaded): Promise<void> {
    const now = performance.now();
    const events = progress.events + (loaded?.events ?? 0);
    const { position, head } = loaded ?? progress;
    progress = { phase, events, perSecond: Math.round((events * 1_000) / (now - started)), position, head };
    onProgress(progress);
    if (!atOnce && now - notedAt < noteMs) return;
    notedAt = now;
    await recordProgress(progress);
  }

  return { report, progress: () => progress };
}
