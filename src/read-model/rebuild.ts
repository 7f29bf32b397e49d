import { setImmediate as nextTurn } from 'node:timers/promises';
import { v7 as timeSortable } from 'uuid';
import type { Projection } from '../../projections/projection.js';
import { StoreUnavailable } from '../event-store/errors.js';
import type { EventStore } from '../event-store/event-store.js';
import { filterOf, projector } from './project.js';
import {
  type Build,
  type BuildName,
  buildName,
  type EventOperations,
  type ReadModel,
  type UnderTerm,
} from './read-model.js';

export type RebuildProgress = { readonly events: number; readonly position: bigint; readonly head: bigint };

export type Rebuilt = { readonly build: BuildName; readonly events: number; readonly seconds: number };

export type Rebuild = {
  readonly store: EventStore;
  readonly readModel: ReadModel;
  readonly projection: Projection;
  /** Called after each batch; `events` counts those of the projection's categories. */
  readonly onProgress?: (progress: RebuildProgress) => void;
  /** Ends it: what was built is dropped, and the live build stays what it was. */
  readonly signal?: AbortSignal;
} & UnderTerm;

/** Large enough for transactions to cost little, small enough for memory and for those who are served meanwhile. */
const batchSize = 2000;

/**
 * Builds a view anew beside the live one, from the first event to the head, and points queries at it. Only views are
 * written: nothing is sent and nobody is told. Whoever follows the live build goes on with the new one, and drops the old.
 *
 * Throws what the stores throw, `ProjectionFailed`, and `BuildGone` where a later rebuild was done first.
 */
export async function rebuild({
  store,
  readModel,
  projection,
  onProgress,
  signal,
  ...underTerm
}: Rebuild): Promise<Rebuilt> {
  const started = performance.now();
  const name = buildName(projection, timeSortable());
  const build = await readModel.open(projection, name, { bulk: true, ...underTerm });
  let events = 0;
  const load = async () => {
    for await (const progress of loadToHead({ store, projection, build, signal })) {
      events += progress.events;
      onProgress?.({ ...progress, events });
    }
  };
  try {
    await load();
    await build.finish();
    await load(); // what was appended while the indexes were made
    await build.close();
    await readModel.flip(projection, name, underTerm);
  } catch (error) {
    await build.close();
    await readModel.drop(name);
    throw error;
  }
  return { build: name, events, seconds: (performance.now() - started) / 1000 };
}

type Load = {
  readonly store: EventStore;
  readonly projection: Projection;
  readonly build: Build;
  readonly signal: AbortSignal | undefined;
};

/** Applies all events up to where the store ends now. Gives, after each batch, how many events it held. */
async function* loadToHead({ store, projection, build, signal }: Load): AsyncGenerator<RebuildProgress> {
  const project = projector(projection);
  const head = await store.head();
  const { position: from } = await build.checkpoint();
  if (head <= (from ?? -1n)) return;

  let waiting: EventOperations[] = [];
  let events = 0;
  const options = { ...(from !== undefined && { from }), ...(signal && { signal }), filter: filterOf(projection) };
  for await (const batch of store.subscribe(options)) {
    const { operations, failure } = project(batch.events);
    if (failure) throw failure;
    waiting = waiting.length === 0 ? [...operations] : waiting.concat(operations);
    events += batch.events.length;
    const done = batch.caughtUp || batch.position >= head;
    if (events < batchSize && !done) continue;

    await build.apply(waiting, batch.position);
    yield { events, position: batch.position, head };
    if (done) return;
    waiting = [];
    events = 0;
    await nextTurn(); // requests that are served meanwhile get their turn, however fast the stores are
  }
  signal?.throwIfAborted();
  throw new StoreUnavailable('the events ended before the head of the store');
}
