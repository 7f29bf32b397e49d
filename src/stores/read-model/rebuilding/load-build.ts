import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreUnavailable } from '../../../kernel/store-errors.js';
import type { EventStore } from '../../event-store/event-store.js';
import { filterOf, positionBefore, projector } from '../project.js';
import type { Projection } from '../projection.js';
import type { Build, EventOperations } from '../read-model.js';
import { skippedEvents } from '../skipped-events.js';

export type Load = {
  readonly store: EventStore;
  readonly projection: Projection;
  readonly build: Build;
  /** The last position to be loaded; without it, where the store ends now. Events after it stay out. */
  readonly upTo?: bigint;
  readonly signal: AbortSignal | undefined;
};

export type Loaded = { readonly events: number; readonly position: bigint; readonly head: bigint };

/** Large enough for a write to cost little, small enough for memory and for those who are served meanwhile. */
const batchSize = 1_000;
/** A view that few events concern moves its checkpoint all the same: it is told of, may be cancelled, and is gone on with. */
const stepMs = 1_000;

/**
 * Applies events to a build from its checkpoint on: while one batch is written, the next is read and projected, which grows
 * meanwhile where the build says so. Gives, after each batch, how many events it held. Throws `ProjectionFailed`, where the
 * build has all that came before; and the signal's reason.
 */
export async function* loadBuild({ store, projection, build, upTo, signal }: Load): AsyncGenerator<Loaded> {
  const project = projector(projection, await skippedEvents(store, projection));
  const head = upTo ?? (await store.head());
  const { position: from } = await build.checkpoint();
  if (head <= (from ?? -1n)) return;

  let waiting: EventOperations[] = [];
  let events = 0;
  let position = from ?? -1n;
  let writing: Promise<Loaded> | undefined;
  let isWriting = false;
  let writtenAt = performance.now();
  const options = { ...(from !== undefined && { from }), ...(signal && { signal }), filter: filterOf(projection) };
  try {
    for await (const batch of store.subscribe(options)) {
      const wanted = batch.position <= head ? batch.events : batch.events.filter((event) => event.position <= head);
      const { operations, failure } = project(wanted);
      for (const each of operations) waiting.push(each);
      events += wanted.length;
      position = failure ? positionBefore(failure, wanted, position) : smaller(batch.position, head);
      const done = batch.caughtUp || batch.position >= head;
      const most = isWriting ? (build.mostAtOnce ?? batchSize) : batchSize;
      const isLate = !isWriting && performance.now() - writtenAt >= stepMs;
      if (events < most && !done && !failure && !isLate) continue;

      await nextTurn(); // requests that are served meanwhile get their turn, however fast the stores are
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
    await writing?.catch(() => undefined); // whoever ends this closes the build next
  }
  signal?.throwIfAborted();
  throw new StoreUnavailable('the events ended before the head of the store');
}

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
