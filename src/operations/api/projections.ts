import { projections } from '../../../projections/index.js';
import { NotFound } from '../../http/errors.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import type { Follower } from '../../stores/read-model/follower.js';
import { viewStatus } from '../../stores/read-model/following/view-status.js';
import type { Projection } from '../../stores/read-model/projection.js';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import type { BackgroundRebuilds } from '../../stores/read-model/rebuilding/background-rebuilds.js';
import { cancelRebuild } from '../../stores/read-model/rebuilding/cancel-rebuild.js';
import { skipEvent } from '../../stores/read-model/skipped-events.js';
import {
  cancelRebuildRoute,
  listProjectionsRoute,
  rebuildProjectionRoute,
  showProjectionRoute,
  skipEventRoute,
} from './contracts/projections.js';
import { type BoundRoute, handle } from './routing/handle.js';

export type ProjectionRoutes = {
  readonly store: EventStore;
  readonly readModel: ReadModel;
  /** One for each projection, in the same order. */
  readonly followers: readonly Pick<Follower, 'status'>[];
  readonly rebuilds: BackgroundRebuilds;
};

export function projectionRoutes({ store, readModel, followers, rebuilds }: ProjectionRoutes): readonly BoundRoute[] {
  async function summaryOf(projection: Projection) {
    const { caughtUp = false, eventsPerSecond, lease } = followers[projections.indexOf(projection)]?.status() ?? {};
    return {
      ...(await viewStatus({ store, readModel }, projection)),
      caughtUp,
      eventsPerSecond: eventsPerSecond ?? null,
      holder: lease?.holder ?? null,
      rebuildFailure: rebuilds.failure(projection) ?? null,
    };
  }

  return [
    handle(listProjectionsRoute, async () => ({ items: await Promise.all(projections.map(summaryOf)), next: null })),

    handle(showProjectionRoute, ({ params }) => summaryOf(projectionNamed(params.name))),

    handle(rebuildProjectionRoute, async ({ params, body }) => {
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
  ];
}

function projectionNamed(name: string): Projection {
  const projection = projections.find((each) => each.name === name);
  if (!projection) throw new NotFound(`unknown projection ${name}`);
  return projection;
}
