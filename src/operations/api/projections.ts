import Router from '@koa/router';
import { z } from 'zod';
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
  type AdminContext,
  type AdminRoutes,
  type AdminState,
  bodyOf,
  type List,
  queryOf,
  wholeNumber,
} from './context.js';

export type ProjectionRoutes = {
  readonly store: EventStore;
  readonly readModel: ReadModel;
  /** One for each projection, in the same order. */
  readonly followers: readonly Pick<Follower, 'status'>[];
  readonly rebuilds: BackgroundRebuilds;
};

/**
 * `GET /projections` and `GET /projections/{name}`: the position of each view, and its running or unfinished rebuild.
 * `POST /projections/{name}/rebuild` starts a rebuild on this instance and answers 202; `/cancel` cancels it on any instance;
 * `/skip` makes the view leave out the event at a position.
 */
export function projectionRoutes({ store, readModel, followers, rebuilds }: ProjectionRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>({ prefix: '/projections' });

  async function summaryOf(projection: Projection) {
    const { caughtUp = false, eventsPerSecond, lease } = followers[projections.indexOf(projection)]?.status() ?? {};
    return {
      ...(await viewStatus({ store, readModel }, projection)),
      caughtUp,
      /** Recent rate; null on an instance that does not project this view. */
      eventsPerSecond: eventsPerSecond ?? null,
      /** The instance that projects this view. */
      holder: lease?.holder ?? null,
      /** The error that ended the last rebuild started by this instance. */
      rebuildFailure: rebuilds.failure(projection) ?? null,
    };
  }

  router.get('/', async (ctx) => {
    queryOf(ctx, {});
    ctx.body = { items: await Promise.all(projections.map(summaryOf)), next: null } satisfies List<unknown>;
  });

  router.get('/:name', async (ctx) => {
    queryOf(ctx, {});
    ctx.body = await summaryOf(projectionOf(ctx));
  });

  router.post('/:name/rebuild', async (ctx) => {
    const projection = projectionOf(ctx);
    const { verify } = bodyOf(ctx, { verify: z.boolean().default(false) });
    await rebuilds.start(projection, { verify });
    ctx.status = 202;
    ctx.body = await summaryOf(projection);
  });

  router.post('/:name/cancel', async (ctx) => {
    const projection = projectionOf(ctx);
    bodyOf(ctx, {});
    ctx.body = { name: projection.name, cancelled: await cancelRebuild(readModel, projection) };
  });

  router.post('/:name/skip', async (ctx) => {
    const projection = projectionOf(ctx);
    const skip = bodyOf(ctx, { position: wholeNumber, why: z.string().min(1).max(1_000) });
    ctx.body = await skipEvent(store, projection, skip, { cause: ctx.state.cause, now: new Date() });
  });

  return router;
}

function projectionOf({ params }: AdminContext): Projection {
  const projection = projections.find(({ name }) => name === params.name);
  if (!projection) throw new NotFound(`unknown projection ${params.name}`);
  return projection;
}
