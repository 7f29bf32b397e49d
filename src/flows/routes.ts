import Router from '@koa/router';
import { answerFailuresWith500, type RequestState, type Routes } from '../http/context.js';
import { requireActiveTask } from '../registrations/integration-tasks/effective-task.js';
import { type PublishRoutesDependencies, publishRoutes } from './publishing/routes.js';
import { sampleTriggers } from './triggers.js';

export type FlowRoutesDependencies = PublishRoutesDependencies & {
  /** Without a slash at the end; `/api/hooks` by default. */
  readonly prefix: string;
  /** The subscription types that are allowed; undefined: any. */
  readonly subscriptionTypes: readonly string[] | undefined;
};

/** The routes of producers, and `GET {prefix}/perform-list`. */
export function flowRoutes(dependencies: FlowRoutesDependencies): Routes {
  const { prefix, store, subscriptionTypes, limits } = dependencies;
  const router: Routes = new Router<RequestState>();
  const samples = sampleTriggers(subscriptionTypes);

  router.use(publishRoutes(dependencies).routes());

  // Without authentication: platforms request samples before a user has signed in.
  router.get(`${prefix}/perform-list`, answerFailuresWith500, async (ctx) => {
    await limits.arrival(ctx);
    await requireActiveTask(store, null);
    ctx.status = 201;
    ctx.body = samples;
  });

  return router;
}
