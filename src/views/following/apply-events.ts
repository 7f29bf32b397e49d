import { mutex } from '../../kernel/keyed-mutex.js';
import { everyInterval } from '../../kernel/shared-interval.js';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type HeldTerm, LeaseLost } from '../../stores/leases/leases.js';
import { ViewAheadOfStore } from '../errors.js';
import { filterOf, positionBefore, projectWith } from '../project.js';
import type { BuildName, Projection } from '../projection.js';
import type { Build, EventOperations, ReadModel } from '../read-model.js';
import { skippedEvents } from '../skipped-events.js';
import { startViewSpans } from './view-spans.js';

/** Progress of the live build. `sound`: the last batch was handled without a failure. */
export type ViewProgress = {
  build: BuildName;
  position: bigint | undefined;
  caughtUp: boolean;
  sound: boolean;
  /** Number of events in the batch. */
  events: number;
};

type Applying = {
  store: EventStore;
  readModel: ReadModel;
  projection: Projection;
  signal: AbortSignal;
  quietMs: number;
  progress: (progress: ViewProgress) => void;
};

export type ApplyEvents = Applying & {
  build: BuildName;
  /** Absent for a single instance. */
  lease: HeldTerm | undefined;
};

/**
 * Applies events from the build's checkpoint on, until the signal aborts or queries go to another build. Reports
 * progress only while queries go to this build, so that callers that waited for a position find it there.
 */
export async function applyEvents({ readModel, projection, build: name, ...rest }: ApplyEvents): Promise<void> {
  const build = await readModel.open(projection, name, rest.lease && { term: rest.lease.term });
  try {
    await applyToBuild({ readModel, projection, build: underLease(build, rest.lease), ...rest });
  } finally {
    await build.close();
  }
}

/** The term refuses only the checkpoint, after the documents; this keeps a paused process from writing any. */
function underLease(build: Build, lease: ApplyEvents['lease']): Build {
  if (!lease) return build;
  return {
    ...build,
    async apply(batch, position) {
      if (!lease.isHeld()) throw new LeaseLost(build.name, lease.term);
      await build.apply(batch, position);
    },
  };
}

async function applyToBuild({
  store,
  readModel,
  projection,
  build,
  signal,
  quietMs,
  progress,
}: Applying & { build: Build }) {
  const project = projectWith(projection, await skippedEvents(store, projection));
  const { position: from } = await build.checkpoint();
  const head = await store.head();
  if (from !== undefined && from > head) throw new ViewAheadOfStore(projection.name, from, head);
  progress({ build: build.name, position: from, caughtUp: false, sound: false, events: 0 });

  let position = from ?? -1n;
  let hasCaughtUp = false;
  const checkpoint = checkpointOf(build, position, quietMs);
  try {
    for await (const batch of store.subscribe({
      filter: filterOf(projection),
      signal,
      from,
    })) {
      const endSpans = startViewSpans(projection.name, batch.events);
      const { operations, failure } = project(batch.events);
      position = failure ? positionBefore(failure, batch.events, position) : batch.position;
      await checkpoint.move(operations, position).catch((error) => {
        endSpans({ error, from: 0n });
        throw error;
      });
      endSpans(failure && { error: failure, from: failure.position });
      if (operations.some(removes)) await readModel.clearSetAside(projection, 0);
      if (batch.caughtUp && !hasCaughtUp) await checkpoint.keep(); // other instances may have waited for it since the last stop
      hasCaughtUp ||= batch.caughtUp;
      if ((await readModel.live(projection)) !== build.name) return await checkpoint.keep();
      const events = batch.events.length;
      progress({ build: build.name, position, caughtUp: batch.caughtUp && !failure, sound: !failure, events });
      if (failure) {
        await checkpoint.keep();
        throw failure;
      }
    }
    await checkpoint.keep();
  } finally {
    checkpoint.end();
  }
  if (!signal.aborted) throw new StoreUnavailable('the subscription has ended');
}

/** Removed data must not remain in a damaged build that was set aside. */
const removes = ({ operations }: EventOperations): boolean =>
  operations.some(({ kind }) => kind === 'remove' || kind === 'remove-where');

/**
 * While no event concerns the view, its checkpoint moves in memory, and is written within `quietMs`, together with those of
 * other views, because other processes may wait for that position.
 */
function checkpointOf(build: Build, from: bigint, quietMs: number) {
  const oneByOne = mutex();
  let position = from;
  let written = from;
  let endTimer: (() => void) | undefined;
  let ended = false;

  async function write(operations: readonly EventOperations[], to: bigint): Promise<void> {
    await build.apply(operations, to);
    written = to;
  }

  const keep = (): Promise<void> =>
    oneByOne(async () => {
      if (position > written) await write([], position);
    });

  function keepSoon(): void {
    if (ended) return; // a write under way has failed: the next `applyEvents` starts before it
    endTimer ??= everyInterval(quietMs, () => {
      endTimer?.();
      endTimer = undefined;
      keep().catch(keepSoon); // the next event gets the same error and reports it
    });
  }

  return {
    async move(operations: readonly EventOperations[], to: bigint): Promise<void> {
      if (operations.length > 0) {
        await oneByOne(() => write(operations, to));
        position = to;
      } else {
        position = to;
        keepSoon();
      }
    },
    keep,
    end() {
      ended = true;
      endTimer?.();
    },
  };
}
