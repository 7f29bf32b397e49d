import Router from '@koa/router';
import type { Follower, FollowerStatus } from '../read-model/follow.js';
import { type AdminRoutes, type AdminState, type List, queryOf } from './context.js';

export type ProjectionRoutes = { readonly followers: readonly Pick<Follower, 'status'>[] };

/** `GET /projections`: how far each view is, as this instance knows it. */
export function projectionRoutes({ followers }: ProjectionRoutes): AdminRoutes {
  const router: AdminRoutes = new Router<AdminState>();

  router.get('/projections', (ctx) => {
    queryOf(ctx, {});
    ctx.body = { items: followers.map(({ status }) => summaryOf(status())), next: null } satisfies List<unknown>;
  });

  return router;
}

const summaryOf = ({ name, build, position, caughtUp, error, lease }: FollowerStatus) => ({
  name,
  build: build ?? null,
  position: textOrNull(position),
  caughtUp,
  error: error ? { message: error.message, position: textOrNull(error.position) } : null,
  /** Which instance keeps it up to date. */
  holder: lease?.holder ?? null,
});

const textOrNull = (position: bigint | undefined): string | null => position?.toString() ?? null;
