import { once } from 'node:events';
import type { Projection } from '../../projections/projection.js';
import type { Leases } from '../leases/leases.js';
import { type Follow, type Follower, follow } from './follow.js';
import { relay } from './relay.js';
import { type WatchTimings, watch } from './watch.js';

export type FollowUnderLease = Pick<Follow, 'store' | 'readModel' | 'log'> & {
  readonly leases: Leases;
  readonly projections: readonly Projection[];
  readonly timings?: Follow['timings'] & Partial<WatchTimings>;
};

export type Projector = {
  /** One for each projection, in their order. */
  readonly followers: readonly Follower[];
  /** Ends all of them, and lets another instance go on at once. */
  readonly stop: () => Promise<void>;
};

/**
 * Keeps the views up to date while this instance holds the lease `projector`, and watches them while another does. Either
 * way `passed` resolves once queries see a position, also where the lease changes hands meanwhile.
 */
export function followUnderLease({ leases, projections, log, ...common }: FollowUnderLease): Projector {
  const views = projections.map((projection) => {
    const watching = () => watch({ ...common, projection });
    return { ...relay(watching()), projection, watching };
  });

  const held = leases.hold('projector', async (lease) => {
    await Promise.all(
      views.map(({ projection, handOver }) => handOver(() => follow({ ...common, projection, log, lease }))),
    );
    if (!lease.signal.aborted) await once(lease.signal, 'abort');
    await Promise.all(views.map(({ watching, handOver }) => handOver(watching)));
  });

  return {
    followers: views.map(({ status, passed, stop }) => ({
      status: () => ({ ...status(), lease: held.status() }),
      passed,
      stop,
    })),
    async stop() {
      await held.stop();
      await Promise.all(views.map(({ stop }) => stop()));
    },
  };
}
