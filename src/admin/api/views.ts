import { projections } from '../../../projections/index.js';
import type { ViewVerifications } from '../../audit/background-verifications.js';
import { NotFound } from '../../http/errors.js';
import { followerOf, type ObservedView } from '../../views/follower.js';
import { viewStatus } from '../../views/following/view-status.js';
import type { Projection } from '../../views/projection.js';
import type { ViewRebuilds } from '../../views/rebuilding/background-rebuilds.js';
import { cancelRebuild } from '../../views/rebuilding/cancel-rebuild.js';
import type { RebuildProgress } from '../../views/rebuilds.js';
import { skipEvent } from '../../views/skipped-events.js';
import {
  cancelRebuildRoute,
  listViewsRoute,
  rebuildViewRoute,
  showVerificationRoute,
  showViewRoute,
  skipEventRoute,
  startVerificationRoute,
} from './contracts/views.js';
import { type BoundRoute, handle, type RouteStores } from './routing/admin-route.js';

/** Rebuilds and verifications of views in this process. */
export type ViewWork = { rebuilds: ViewRebuilds; verifications: ViewVerifications };

type ViewRoutes = RouteStores &
  ViewWork & {
    /** One for each projection. */
    followers: readonly ObservedView[];
  };

export function viewRoutes(dependencies: ViewRoutes): readonly BoundRoute[] {
  const { store, readModel, followers, rebuilds, verifications } = dependencies;

  async function summaryOf(projection: Projection) {
    const { rebuilt, failure } = rebuilds.last(projection);
    const { caughtUp, eventsPerSecond, lease } = followerOf(projection, followers).status();
    return {
      ...(await viewStatus({ store, readModel }, projection)),
      caughtUp,
      eventsPerSecond: eventsPerSecond ?? null,
      holder: lease?.holder ?? null,
      lastRebuild: rebuilt ? { ...rebuilt, verified: rebuilt.verified ?? null } : null,
      rebuildFailure: failure ?? null,
    };
  }

  async function verificationOf(projection: Projection) {
    const { progress } = (await readModel.rebuilds.find(projection)) ?? {};
    return {
      name: projection.name,
      running: progress && isVerification(progress) ? runningSummary(progress) : null,
      last: verifications.last(projection) ?? null,
    };
  }

  return [
    handle(listViewsRoute, async () => ({ items: await Promise.all(projections.map(summaryOf)), next: null })),

    handle(showViewRoute, ({ params }) => summaryOf(projectionNamed(params.name))),

    handle(rebuildViewRoute, async ({ params, body }) => {
      const projection = projectionNamed(params.name);
      await rebuilds.start(projection, body);
      return summaryOf(projection);
    }),

    handle(cancelRebuildRoute, async ({ params: { name } }) => ({
      name,
      cancelled: await cancelRebuild(readModel, projectionNamed(name)),
    })),

    handle(skipEventRoute, ({ params, body }, context) =>
      skipEvent(store, projectionNamed(params.name), body, context),
    ),

    handle(startVerificationRoute, async ({ params }) => {
      const projection = projectionNamed(params.name);
      await verifications.start(projection);
      return verificationOf(projection);
    }),

    handle(showVerificationRoute, ({ params }) => verificationOf(projectionNamed(params.name))),
  ];
}

type Verifying = RebuildProgress & { phase: 'folding' | 'comparing' };

const isVerification = (progress: RebuildProgress): progress is Verifying =>
  progress.phase === 'folding' || progress.phase === 'comparing';

const runningSummary = ({ phase, position, head }: Verifying) => ({ phase, done: `${position}`, total: `${head}` });

function projectionNamed(name: string): Projection {
  const projection = projections.find((each) => each.name === name);
  if (!projection) throw new NotFound(`unknown view ${name}`);
  return projection;
}
