import { once } from 'node:events';
import { nextInterval, sharedInTurn } from '../../kernel/shared-interval.js';
import { sleepUnlessAborted } from '../../kernel/unless-aborted.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { Follower, FollowerStatus } from '../follower.js';
import type { Projection } from '../projection.js';
import type { ReadModel } from '../read-model.js';
import { waiters } from './waiters.js';

const defaultTimings = {
  /** Interval of checks while a caller waits for a position. */
  awaitedMs: 25,
  /** Interval of checks otherwise; five times as long while the view is caught up. */
  idleMs: 1_000,
  /** Maximum lag behind the store's end of a view that counts as caught up. */
  lagMs: 5_000,
};
export type WatchTimings = typeof defaultTimings;

type StoreEnd = Pick<EventStore, 'head'>;

type WatchOptions = {
  readModel: ReadModel;
  store: StoreEnd;
  timings?: Partial<WatchTimings>;
  /** Looks only while callers wait, where the status is not used. */
  onlyAwaited?: boolean;
};

export type Watch = WatchOptions & { projection: Projection };

/** Followers of an instance that does not project: see `followUnderLease`. */
export function watchAll({ projections, store, ...common }: WatchOptions & { projections: readonly Projection[] }): {
  followers: readonly Follower[];
  stop: () => Promise<void>;
} {
  const oneHead = sharedHead(store);
  const followers = projections.map((projection) => watch({ ...common, store: oneHead, projection }));
  return {
    followers,
    async stop() {
      await Promise.all(followers.map((follower) => follower.stop()));
    },
  };
}

/** One read of the end for all views, which look at the same time. */
export const sharedHead = (store: StoreEnd): StoreEnd => ({ head: sharedInTurn(() => store.head()) });

/** Reports the progress of a view that another instance keeps up to date; writes nothing. */
export function watch({ store, readModel, projection, timings, onlyAwaited = false }: Watch): Follower {
  const { awaitedMs, idleMs, lagMs } = { ...defaultTimings, ...timings };
  const { name } = projection;
  const stopping = new AbortController();
  const waiting = waiters(`the view ${name} is not watched any more`);
  let status: FollowerStatus = { name, build: undefined, position: undefined, caughtUp: false };
  /** Ends the current pause, also on `stop`: Node 20 leaks memory on signals combined for each pause. */
  let wake = (): void => {};
  /** An earlier end of the store: the view is caught up if it reaches that within `lagMs`. */
  let mark: { head: bigint; since: number } | undefined;

  async function look(): Promise<void> {
    const build = await readModel.live(projection);
    const position = await readModel.position(projection);
    waiting.reach(position);
    const error = await readModel.viewError(projection);
    const setAside = build === undefined ? await readModel.setAside(projection) : undefined;
    status = {
      name,
      build,
      position,
      caughtUp: !error && (await hasCaughtUp(position)),
      ...(setAside && { setAside }),
      ...(error && { error: { message: error.message, position: error.position } }),
    };
  }

  async function hasCaughtUp(position: bigint | undefined): Promise<boolean> {
    const reached = mark !== undefined && (position ?? -1n) >= mark.head;
    const inTime = mark !== undefined && performance.now() - mark.since < lagMs;
    if (!mark || (reached && !waiting.any())) mark = { head: await store.head(), since: performance.now() };
    return reached || (inTime && status.caughtUp);
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const waking = new AbortController();
      wake = () => waking.abort();
      await look().catch((error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        status = { ...status, caughtUp: false, error: { message, position: status.position } };
      });
      const isAwaited = waiting.any();
      const { signal } = isAwaited ? stopping : waking;
      if (isAwaited && !status.error) await sleepUnlessAborted(awaitedMs, signal);
      else if (isAwaited || !onlyAwaited) await nextInterval(status.caughtUp ? 5 * idleMs : idleMs, signal);
      else if (!signal.aborted) await once(signal, 'abort');
    }
  }

  const running = run();

  return {
    status: () => status,
    async passed(position, signal) {
      const passed = waiting.passed(position, signal);
      if (waiting.any()) wake();
      await passed;
    },
    async stop() {
      stopping.abort();
      wake();
      waiting.end();
      await running;
    },
  };
}
