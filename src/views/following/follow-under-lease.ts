import { once } from 'node:events';
import type { Leases } from '../../stores/leases/leases.js';
import type { Follower } from '../follower.js';
import { type Projection, viewOf } from '../projection.js';
import { type Follow, follow } from './follow.js';
import { sharedHead, type WatchTimings, watch } from './watch.js';

export type FollowUnderLease = Pick<Follow, 'store' | 'readModel' | 'log'> & {
  leases: Leases;
  projections: readonly Projection[];
  timings?: Follow['timings'] & Partial<WatchTimings>;
};

export type Projector = {
  /** Followers in the order of the projections. */
  followers: readonly Follower[];
  /** Releases the leases at once. */
  stop: () => Promise<void>;
};

/**
 * Follows each view while this instance holds its lease, and watches it while another does; `passed` works across
 * changes. Each version has its own lease: in a rolling update, each release keeps its versions up to date.
 */
export function followUnderLease({ leases, projections, log, ...common }: FollowUnderLease): Projector {
  const watched = { ...common, store: sharedHead(common.store) };
  const views = projections.map((projection) => {
    const watching = () => watch({ ...watched, projection });
    const { handOver, ...follower } = followerHandover(watching());
    const held = leases.hold(leaseOf(projection), async (lease) => {
      await handOver(() => follow({ ...common, projection, log, lease }));
      if (!lease.signal.aborted) await once(lease.signal, 'abort');
      await handOver(watching);
    });
    return {
      ...follower,
      status: () => ({ ...follower.status(), lease: held.status() }),
      async stop() {
        await held.stop();
        await follower.stop();
      },
    };
  });

  return {
    followers: views,
    async stop() {
      await Promise.all(views.map(({ stop }) => stop()));
    },
  };
}

const leaseOf = (projection: Projection): string => `view-${viewOf(projection)}`;

/** One follower for its callers, while the followers behind it replace each other. */
type FollowerHandover = Follower & {
  /** Starts the next follower, then stops the one before. Waiting callers continue to wait. */
  handOver: (next: () => Follower) => Promise<void>;
};

function followerHandover(first: Follower): FollowerHandover {
  let current = first;
  return {
    status: () => current.status(),
    async passed(position, signal) {
      for (;;) {
        const awaited = current;
        try {
          return await awaited.passed(position, signal);
        } catch (error) {
          if (awaited === current || signal?.aborted) throw error;
        }
      }
    },
    async handOver(next) {
      const before = current;
      current = next();
      await before.stop();
    },
    stop: () => current.stop(),
  };
}
